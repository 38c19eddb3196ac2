import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { judge, judgedSize } from '../budgets.ts'
import { type Results, readResults } from '../results.ts'
import { figuresOf, pageText } from './page.ts'
import { plotSvg } from './plot.ts'

const inRepository = (path: string) => join(import.meta.dirname, '../..', path)
const read = (path: string) => readFileSync(inRepository(path), 'utf8')
const results: Results = readdirSync(inRepository('bench/results'))
  .sort()
  .map((name) => readResults(inRepository(`bench/results/${name}`)))
  .findLast(({ complete }) => complete)!
const meaning = read('bench/meaning.md')

/** Paragraphs that begin with the names of their budgets: `**budget; budget.** Why.` */
const reasons = meaning.split('\n\n').flatMap((paragraph) => {
  const [, about, why] = /^\*\*(.+)\.\*\* ([\s\S]+)$/.exec(paragraph) ?? []
  return about === undefined ? [] : [{ about: about.split('; '), why: why! }]
})

test('docs/performance.md and its plot are those of the last complete run', () => {
  const cure = 'npx node bench/main.ts --page bench/results/<run>.json'
  expect(read('docs/performance.md'), cure).toBe(pageText(results))
  expect(read('docs/performance.svg'), cure).toBe(plotSvg(figuresOf(results), results.sizes))
})

test('each budget that is missed has its reason in bench/meaning.md, and no other has', () => {
  const rows = judge(figuresOf(results), judgedSize(results.sizes), results.databases)
  const missed = new Set(rows.filter(({ kept }) => !kept).map(({ work }) => work))
  expect(reasons.flatMap(({ about }) => about).sort()).toEqual([...missed].sort())
})

test.each(reasons)('a reason is at most three sentences: $about', ({ why }) => {
  expect(why.match(/\.(?=\s|$)/g)?.length).toBeLessThanOrEqual(3)
})
