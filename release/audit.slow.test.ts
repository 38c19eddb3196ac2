/** The npm registry knows of nothing wrong with what we depend on, but what `release/audit-exceptions.json` excepts. */
import { expect, test } from 'vitest'
import { audit, exceptions, unexcepted } from './audit.ts'

const cure = 'Update the package (`npm audit fix`), or except the advisory in release/audit-exceptions.json.'

test.for([
  ['what is released depends on', ['--omit=dev']],
  ['what development needs as well', []],
] as const)('no advisory is known of %s', { timeout: 120_000 }, async ([, more], { skip }) => {
  const found = await audit(...more)
  if ('advisories' in found) {
    expect(unexcepted(found.advisories, exceptions, new Date()), cure).toEqual([])
    return
  }
  // A mirror may lack the endpoint. CI behind one sets NO_AUDIT, so that a missing answer is never taken for a clean one.
  const missing = `The npm registry does not answer an audit: ${found.unanswered}`
  const mustAnswer = process.env['CI'] === 'true' && process.env['NO_AUDIT'] !== 'true'
  expect(mustAnswer, `${missing}. NO_AUDIT=true passes this over.`).toBe(false)
  process.stderr.write(`${missing}. Advisories about our dependencies were not requested.\n`)
  skip(missing)
})
