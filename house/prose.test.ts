/** Ratchet for phrases and file headers that CONTRIBUTING.md rules out. The counts may only fall. */
import { globSync } from 'node:fs'
import { expect, test } from 'vitest'
import { read, root, sourceFiles } from './source-files.ts'

/** Phrases left, by part of the repository. Parts that are not listed have none. */
const phrasesLeft: Readonly<Record<string, number>> = {
  'apps/server': 1,
  docs: 2,
  'packages/registry': 3,
  'packages/storage': 2,
}

const phrases = [
  /\b(?:whoever|whom|somebody|nobody)\b/gi,
  /\b(?:is|are) told\b/gi,
  /\bgone on with\b/gi,
  /\bgo(?:es)? on from\b/gi,
  /\b(?:is|are) in the way of\b/gi,
  /\bhears? of\b/gi,
  /\bheard of\b/gi,
  /\bbec[ao]mes? of\b/gi,
  // `--anew` and `anew:` are the name of a flag.
  /(?<![-.])\banew\b(?!:)/gi,
  /\bfor want of\b/gi,
  /\bsigns? of life\b/gi,
  /\bthe (?:asking|look) (?:of|for)\b/gi,
  /\brequires? to be\b/gi,
  // "What is written is flushed": a relative clause as the subject.
  /\bwhat (?:is|has|was|had|are|were)\b[^.:;,?\n]{0,60}? (?:is|are|was|were)\b/gi,
]
const header = /^\s*\/\*\*?[\s*]*(?:What|Who|Whose|Whom|Whoever|Where|Whether|That)\b/

const texts = [
  ...sourceFiles,
  ...globSync('{*.md,{docs,bench}/**/*.md,packages/**/*.{sql,md},apps/**/*.{sql,md}}', {
    cwd: root,
    exclude: (path) => /(?:^|\/)(?:node_modules|migrations)(?:\/|$)/.test(path),
  }),
].filter((path) => path !== 'house/prose.test.ts')

/** The package or app, else the first folder, else the file itself. */
function partOf(path: string): string {
  const [first = '', second = ''] = path.split('/')
  return first === 'packages' || first === 'apps' ? `${first}/${second}` : first
}

function countBy(counts: (text: string) => number): Record<string, number> {
  const found: Record<string, number> = {}
  for (const path of texts) {
    const count = counts(read(path))
    if (count > 0) found[partOf(path)] = (found[partOf(path)] ?? 0) + count
  }
  return found
}

const sum = (counts: Readonly<Record<string, number>>) =>
  Object.values(counts).reduce((total, count) => total + count, 0)

test('comments, messages and documents name the actor with a noun', () => {
  const found = countBy((text) =>
    phrases.reduce((count, phrase) => count + (text.match(phrase)?.length ?? 0), 0),
  )
  expect(found, `${sum(found)} phrases: write plainly, then lower the figure.`).toEqual(phrasesLeft)
})

test('headers of files begin with a noun or a verb', () => {
  const found = countBy((text) => (header.test(text) ? 1 : 0))
  expect(found, 'Say what the file is: "Fair queue for worker threads."').toEqual({})
})

test('a verb agrees with a number before it: `counted` gets both forms, as in `version stays` and `versions stay`', () => {
  const plural =
    /(?<!coordinates of \$\{)counted\([^()]*\)\}?`?\s+(?:are|were|have|stay|need|wait|do|fail|use|keep|take)\b/
  const wrong = sourceFiles.filter((file) => !/\.test\.tsx?$/.test(file) && plural.test(read(file)))
  expect(wrong).toEqual([])
})
