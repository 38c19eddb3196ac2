import { expect, test } from 'vitest'
import { formsForAnyone, loadPages, type PageName, withForm } from './table.ts'

const pages = await loadPages()

test('pages that a form is posted to are those that do something with it', () => {
  const acting = Object.entries(pages).flatMap(([name, { act }]) =>
    act === undefined ? [] : [name as PageName],
  )
  expect(acting.sort()).toEqual([...withForm].sort())
})

test('pages with a form need a signed-in user', () => {
  for (const name of withForm)
    expect([name, pages[name].needsCaller]).toEqual([name, !formsForAnyone.has(name)])
})
