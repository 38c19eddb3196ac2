import { expect, test } from 'vitest'
import { readmeOf } from './readme.ts'

const collection = { owner: 'ada', slug: 'birds' }

test('a readme that takes too long is plain text, and the next one is rendered', async () => {
  for (const marker of ['> ', '* ']) {
    const slow = await readmeOf(`${marker.repeat(99_000)}deep`, collection)
    expect(slow).toMatch(/^<pre class="plain-text">(?:&gt;|\*) /)
  }
  expect(await readmeOf('**bold**', collection)).toBe('<p><strong>bold</strong></p>')
}, 30_000)

test('what is no readme is none; what is too long is plain text, cut', async () => {
  expect(await readmeOf(7, collection)).toBeUndefined()
  expect(await readmeOf('  ', collection)).toBeUndefined()
  expect((await readmeOf('<'.repeat(300_000), collection))!.length).toBe(
    '<pre class="plain-text"></pre>'.length + 4 * 200_000,
  )
})
