import { expect, test } from 'vitest'
import { ownFilesPath } from '../paths.ts'
import { renderReadme } from './render.ts'

const render = (markdown: string, readmeImages = false) => renderReadme({ markdown, readmeImages })
const hash = `sha256:${'a'.repeat(64)}`

test("pictures are the collection's own files; others become links", () => {
  expect(render(`![A wren](${hash})`)).toBe(`<p><img src="${ownFilesPath}${hash}" alt="A wren"></p>`)
  const other = render('![A wren](https://elsewhere.example/wren.png)')
  expect(other).toBe(
    '<p><a href="https://elsewhere.example/wren.png" rel="nofollow noopener ugc">A wren</a></p>',
  )
})

test("other sites' pictures are shown where the operator allows it, by https alone, and are not told who reads", () => {
  expect(render('![A wren](https://elsewhere.example/wren.png)', true)).toBe(
    '<p><img src="https://elsewhere.example/wren.png" alt="A wren" loading="lazy" referrerpolicy="no-referrer"></p>',
  )
  for (const src of [
    'http://elsewhere.example/a.png',
    '//elsewhere.example/a.png',
    'data:image/svg+xml,<svg/>',
  ])
    expect(render(`![a](${src})`, true)).not.toContain('<img')
})

test.each([
  'https://elsewhere.example/',
  '//elsewhere.example/',
  '/\\\\elsewhere.example',
  'mailto:a@elsewhere.example',
])('a link to %s tells search engines not to follow it', (href) => {
  expect(render(`[a](${href})`)).toMatch(/^<p><a href="[^"]+" rel="nofollow noopener ugc">a<\/a><\/p>$/)
})

test('links within a readme lead to its headings', () => {
  const html = render('[Use](#how-to-use)\n\n# How to use')
  const [, target] = /href="#([^"]+)"/.exec(html)!
  expect(html).toContain(`<h2 id="${target}">How to use</h2>`)
})

test.each([
  '<script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '[a](javascript:alert(1))',
  '<a href="javascript:alert(1)">a</a>',
  '![a](javascript:alert(1))',
  '<iframe src="//elsewhere.example"></iframe>',
  '<style>* { display: none }</style>',
  '<form action="/sign-out"><button>a</button></form>',
])('%s does nothing', (markdown) => {
  expect(render(markdown)).not.toMatch(/<(?!\/?(?:p|a)\b)|\son\w+=|javascript:/)
})
