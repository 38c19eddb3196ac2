/** Questions of newcomers: each has an answer that ARCHITECTURE.md or CONTRIBUTING.md links to. */
import { expect, test } from 'vitest'
import { read } from './source-files.ts'

const guides = [read('ARCHITECTURE.md'), read('CONTRIBUTING.md')].join('\n')

test.each([
  ['who may fork', 'packages/registry/src/access/policy.ts', 'export function mayFork('],
  ['what a refusal says', 'packages/wire/src/refusals/collection.ts', 'collection_not_found: {'],
  ['how a tree is cut', 'packages/content/src/tree/boundary.ts', 'export function trailingZeroBits('],
  ['what repeats every minute', 'packages/registry/src/schedule.ts', 'everySeconds: minute'],
  ['what ends an idle push', 'packages/registry/src/schedule.ts', 'Ends idle push sessions'],
  [
    'where an update becomes `completed`',
    'packages/storage/src/sql/landing/land-version.sql',
    "status = 'completed'",
  ],
  [
    'which statement moves the head',
    'packages/storage/src/sql/landing/land-version.sql',
    'update collections set head_id',
  ],
  ['the format of a leaf’s body', 'docs/formats.md', '### Leaf bodies'],
  ['what runs in a thread', 'packages/registry/src/push-thread.ts', './pushes/receiving/check-batch.ts'],
  ['how to add a route', 'CONTRIBUTING.md', '## To add a route'],
])('%s', (_, path, answer) => {
  expect(read(path)).toContain(answer)
  expect(path === 'CONTRIBUTING.md' || guides.includes(path), `ARCHITECTURE.md does not name ${path}.`).toBe(
    true,
  )
})
