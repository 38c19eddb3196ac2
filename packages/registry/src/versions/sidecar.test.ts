import { hashText } from '@ulmus/content'
import { goldenText } from '@ulmus/content/testing/golden'
import { expect, test } from 'vitest'
import { emptySidecar, readSidecar, writeSidecar } from './sidecar.ts'

test('the sidecar of a version without anything is what docs/formats.md says', async () => {
  const texts = new Map<string, string>()
  const writer = { add: async (_: string, hash: string, text: string) => void texts.set(hash, text) }
  const hash = await writeSidecar(writer as never, emptySidecar())
  expect(texts.get(hash)).toBe(goldenText('sidecar'))
  const objects = {
    decoded: async (name: string, parse: (bytes: Uint8Array) => unknown) =>
      name === hashText(goldenText('sidecar')) ? parse(Buffer.from(goldenText('sidecar'))) : undefined,
  }
  expect(await readSidecar(objects as never, hash)).toEqual(emptySidecar())
})
