/** Exceptions of the audit are explained and end; what finds advisories finds them. `release/audit.slow.test.ts` asks the registry. */
import { expect, test } from 'vitest'
import { type Exception, exceptionFaults, exceptions, readReport, unexcepted } from '../release/audit.ts'

const today = new Date('2026-06-01T12:00:00Z')
const advisory = 'https://github.com/advisories/GHSA-aaaa-bbbb-cccc'
const exception: Exception = {
  ...{ advisory, package: 'inner', until: '2026-06-01' },
  why: 'It is about a server, and we are a client of it.',
}
const report = JSON.stringify({
  vulnerabilities: {
    outer: { name: 'outer', severity: 'high', via: ['inner'] },
    inner: { name: 'inner', severity: 'high', via: [{ url: advisory, name: 'inner', title: 'It fails' }] },
  },
})

test('every exception is explained and ends', () => {
  expect(exceptions.flatMap((one) => exceptionFaults(one, new Date()))).toEqual([])
})

test.each<[string, Partial<Exception>]>([
  ['no advisory', { advisory: 'https://example.org' }],
  ['no reason', { why: 'later' }],
  ['past', { until: '2026-05-30' }],
  ['too far ahead', { until: '2026-12-01' }],
  ['no day', { until: 'never' }],
])('an exception with %s is none', (_, wrong) => {
  expect(exceptionFaults(exception, today)).toEqual([])
  expect(exceptionFaults({ ...exception, ...wrong }, today)).toHaveLength(1)
})

test('an advisory is found, unless it is excepted on that day', () => {
  const read = readReport(report)
  const advisories = 'advisories' in read ? read.advisories : []
  const found = [{ advisory, package: 'inner', title: 'It fails' }]
  expect(advisories).toEqual(found)
  expect(unexcepted(advisories, [], today)).toEqual(found)
  expect(unexcepted(advisories, [exception], today)).toEqual([])
  expect(unexcepted(advisories, [exception], new Date('2026-06-02T00:00:00Z'))).toEqual(found)
  expect(unexcepted(advisories, [{ ...exception, package: 'other' }], today)).toEqual(found)
})

test('a registry without an answer differs from one without advisories', () => {
  expect(readReport('{"vulnerabilities":{}}')).toEqual({ advisories: [] })
  const refused = '{"message":"405 Method Not Allowed","error":{}}'
  expect(readReport(refused)).toEqual({ unanswered: '405 Method Not Allowed' })
})
