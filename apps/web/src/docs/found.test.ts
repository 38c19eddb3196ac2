/** The search of the documents finds the ways back by the words that people use for them. */
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { htmlOf } from './markdown.ts'
import { docPages, docPath } from './pages.ts'
import { searchSections, sectionsOf } from './search.ts'

const sections = docPages.flatMap(({ name, title }) =>
  sectionsOf(name, title, htmlOf(readFileSync(docPath(`${name}.md`), 'utf8'))),
)

test.each([
  ...['undo', 'revert', 'roll back', 'rollback', 'go back', 'restore version'].map(
    (q) => [q, 'undo'] as const,
  ),
  ...['undelete', 'bring back record'].map((q) => [q, 'undo'] as const),
  ...['gdpr', 'delete personal data', 'erase record', 'right to be forgotten', 'remove person'].map(
    (q) => [q, 'delete-personal-data'] as const,
  ),
  ...['download your data', 'access request', 'right of access'].map((q) => [q, 'personal-data'] as const),
  ...['delete record', 'erasure'].map((q) => [q, 'delete-personal-data'] as const),
  ...['make public', 'publish publicly', 'share', 'make collection public', 'visibility'].map(
    (q) => [q, 'make-public'] as const,
  ),
])('%s', (query, page) => {
  const names = [...new Set(searchSections(sections, query).map(({ name }) => name))]
  expect(names.slice(0, 3)).toContain(page)
})
