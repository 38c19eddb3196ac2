import { expect, test } from 'vitest'
import { searchSections, sectionsOf } from './search.ts'

const html = `<h1 id="cars">Cars</h1><p>All about <b>cars</b> &#x26; &lt;wheels&gt;.</p>
<h2 id="back-up">Back up a car</h2><p>Copy the keys.</p><h3 id="keys">Keys</h3><p>${'x '.repeat(100)}keys and wheels</p>`
const sections = sectionsOf('cars', 'Cars', html)

test('a document has a section for its beginning and each heading, as text', () => {
  expect(sections.map(({ id, heading, text }) => [id, heading, text.slice(0, 30)])).toEqual([
    [undefined, 'Cars', 'All about cars & <wheels>.'],
    ['back-up', 'Back up a car', 'Copy the keys.'],
    ['keys', 'Keys', 'x x x x x x x x x x x x x x x '],
  ])
})

test('sections with every word are found, by their headings first, with text around the word', () => {
  const found = (query: string) => searchSections(sections, query).map(({ id }) => id)
  expect(found('KEYS')).toEqual(['keys', 'back-up'])
  expect(found('keys copy')).toEqual(['back-up'])
  expect(found('wheels')).toEqual([undefined, 'keys'])
  expect([found('trains'), found('  '), found('')]).toEqual([[], [], []])
  expect(searchSections(sections, 'wheels')[1]!.excerpt).toMatch(/^… (x )+keys and wheels$/)
})
