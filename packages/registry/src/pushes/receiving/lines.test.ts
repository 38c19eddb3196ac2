/** Compares the lines of a batch with a slow reference: same lines, same numbers, and the same broken rule in each. */
import { InputError, parseDeleteLine } from '@ulmus/content'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { pushSchemas } from '../schemas/push-schema.ts'
import { checkBatch, linesOf } from './check-batch.ts'

const encoder = new TextEncoder()
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })

const good = '{"id":"a","type":"T"}'
const line = fc.constantFrom(
  ...[
    good,
    `${good}\r`,
    ` ${good}\t`,
    '{"id":"a","type":"U"}',
    '{"id":"","type":"T"}',
    '{"type":"T"}',
    '[]',
    '{',
    '1e400',
  ],
  ...[
    '',
    ' ',
    '\r',
    '\t \r',
    '\ufeff',
    `\ufeff${good}`,
    `${good}${good}`,
    '\u00a0',
    '\u2028',
    '\u0000',
    '\v',
    '{"id":"a","id":"b"}',
  ],
)
const batch = fc
  .tuple(
    fc.constantFrom('', '', '\ufeff', '\ufeff\ufeff', '\n'),
    fc.array(line, { maxLength: 8 }),
    fc.constantFrom('', '\n', '\n\n'),
  )
  .map(([start, lines, end]) => start + lines.join('\n') + end)

/** Blank lines count and are skipped; a byte order mark at the start is not part of the first line. */
const reference = (text: string): { line: number; text: string }[] =>
  text
    .replace(/^\ufeff/, '')
    .split('\n')
    .map((one, n) => ({ line: n + 1, text: one }))
    .filter(({ text: one }) => [...one].some((character) => !' \t\r'.includes(character)))

function refusalOf(text: string): string | undefined {
  try {
    return parseDeleteLine(text).type === 'T' ? undefined : 'unknown_type'
  } catch (error) {
    if (error instanceof InputError) return error.code
    throw error
  }
}

test('a batch has the lines that the reference finds, and they are refused as one by one', () => {
  fc.assert(
    fc.property(batch, (text) => {
      const lines = reference(text)
      const found = [...linesOf(encoder.encode(text))]
      expect(found.map((one) => ({ line: one.line, text: decoder.decode(one.bytes) }))).toEqual(lines)
      const refused = lines.flatMap((one) => {
        const code = refusalOf(one.text)
        return code === undefined ? [] : [{ line: one.line, code }]
      })
      const outcome = checkBatch.run({
        ...{ bytes: [encoder.encode(text)], kind: 'deletes', schemas: pushSchemas([], 'none') },
        ...{ formerTypes: ['T'], stripUnknownFields: false, facts: false, linesMax: 100 },
      })
      if (outcome.kind === 'refused') expect(outcome.errors).toMatchObject(refused)
      else expect(outcome).toMatchObject({ kind: 'spill', received: lines.length })
      expect(outcome.kind === 'refused' ? outcome.totalErrors : 0).toBe(refused.length)
    }),
    { numRuns: 2_000 },
  )
})
