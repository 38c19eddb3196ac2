import { inflateSync } from 'node:zlib'
import type { Strip as StripAnswer } from '@ulmus/wire'
import { h } from 'preact'
import { renderToString } from 'preact-render-to-string'
import { describe, expect, test } from 'vitest'
import type { VisitedCollection } from '../../data/collection.ts'
import { rowPicture, stepOf } from './row-picture.ts'
import { clickedCell, Strip } from './strip.tsx'

const seen = { owner: 'mercator', slug: 'cities', inView: (path: string) => path } as VisitedCollection

/** Newest first; a share is different in each cell. */
const stripOf = (versions: number, columns: number, nameOf = (n: number) => `column_${n}`): StripAnswer => ({
  columns: Array.from({ length: columns }, (_, n) => ({ type: 'City', column: nameOf(n) })),
  versions: Array.from({ length: versions }, (_, n) => ({
    semver: `v1.${versions - n}.0`,
    before: n === versions - 1 ? null : `v1.${versions - n - 1}.0`,
    records: 170_000 + ((n * 7919) % 1_000),
    changed: Array.from({ length: columns }, (_, m) => [0, 0.005, 0.07, 0.3, 1][(n * n * 31 + m * 17) % 5]!),
  })),
  columnCount: columns + 2,
  versionCount: versions + 3,
})
const htmlOf = (strip: StripAnswer) => renderToString(h(Strip, { seen, strip }))

test('200 versions of 40 columns take at most 30 kB', () => {
  const html = htmlOf(stripOf(200, 40))
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(30_000)
  expect(html.match(/<input type="image"/g)).toHaveLength(40)
  // A heading without words would be one of axe's violations.
  expect(html).not.toMatch(/<th[^>]*><svg/)
  expect(html).toContain('The newest 200 of 203 versions.')
  expect(html).toContain('The 40 of 42 columns that changed most.')
})

test('150 cells take at most 30 kB; each that changed is a link with its share', () => {
  const html = htmlOf(stripOf(15, 10))
  expect(Buffer.byteLength(html)).toBeLessThanOrEqual(30_000)
  expect(html).not.toContain('<input')
  expect(html).toContain(
    '<td class="step-5"><a href="/mercator/cities/compare/v1.2.0...v1.3.0?type=City&amp;column=column_0#records" title="v1.3.0: 100 %"><span class="sr-only">100 %</span></a></td>',
  )
  expect(html).toContain('<th scope="row"><bdi>column_0</bdi></th>')
  expect(html.match(/<td class="step-/g)).toHaveLength(150)
})

test('columns that did not change are counted, not drawn; without changes there is no strip', () => {
  const { versions, ...rest } = stripOf(3, 2)
  const half = versions.map((one) => ({ ...one, changed: [0.5, 0] }))
  const html = htmlOf({ ...rest, versions: half, columnCount: 2, versionCount: 3 })
  expect(html).not.toContain('column_1')
  expect(html).toContain('1 column did not change in these versions.')
  // Those that are left out changed less.
  const part = htmlOf({ ...rest, versions: half, columnCount: 28, versionCount: 3 })
  expect(part).toContain('27 columns did not change in these versions.')
  const none = versions.map((one) => ({ ...one, changed: [0, null] }))
  expect(htmlOf({ ...rest, versions: none })).toBe('')
  expect(htmlOf({ ...rest, versions: half.slice(0, 1) })).toBe('')
})

test('names of users are text, also in the name of a picture', () => {
  const hostile = `"><script>alert(1)</script>/.x\u202e`
  const html = htmlOf(stripOf(200, 2, (n) => `${hostile}${n}`))
  expect(html).not.toMatch(/<script|\u202e[^<]*<\/span>/)
  const name = /name="([^"]*City[^"]*)"/.exec(html)![1]!.replaceAll('&quot;', '"').replaceAll('&lt;', '<')
  const query = new URLSearchParams([
    [`${name}.x`, '799'],
    [`${name}.y`, '3'],
  ])
  expect(clickedCell(query, 200)).toEqual({ type: 'City', column: `${hostile}0`, index: 199 })
})

test('a click on a picture means the cell below it', () => {
  const at = (x: string, cells: number) => clickedCell(new URLSearchParams([['City/a.b.x', x]]), cells)?.index
  // 200 cells of 4 pixels, 20 of 40.
  expect([at('0', 200), at('3', 200), at('4', 200), at('9999', 200)]).toEqual([0, 0, 1, 199])
  expect([at('39', 20), at('40', 20), at('-5', 20)]).toEqual([0, 1, 0])
  expect(at('x', 20)).toBeUndefined()
  expect(clickedCell(new URLSearchParams({ from: 'v1.0.0' }), 20)).toBeUndefined()
})

describe('rowPicture', () => {
  test('has a pixel for each share, in steps', () => {
    const shares = [null, 0, 0.0001, 0.01, 0.011, 0.1, 0.5, 0.51, 1]
    expect(shares.map(stepOf)).toEqual([0, 1, 2, 2, 3, 3, 4, 5, 5])
    const png = Buffer.from(rowPicture(shares).split(',')[1]!, 'base64')
    const at = png.indexOf('IDAT')
    const pixels = inflateSync(png.subarray(at + 4, at + 4 + png.readUInt32BE(at - 4)))
    expect(pixels.toString('hex')).toBe('000122334550')
    expect([png.readUInt32BE(16), png.readUInt32BE(20)]).toEqual([9, 1])
  })
})
