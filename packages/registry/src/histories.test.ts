import type { ObjectReader } from '@ulmus/storage'
import { databases } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { historiesOf } from './histories.ts'
import { anonymous } from './principal.ts'
import { openWorld } from './testing/world.ts'

const [embedded] = databases

test('a history reads a few documents at a time, however many versions it goes through', async () => {
  let reading = 0
  let most = 0
  const watched = (objects: ObjectReader): ObjectReader => ({
    ...objects,
    async document(digest) {
      most = Math.max(most, ++reading)
      try {
        return await objects.document(digest)
      } finally {
        reading--
      }
    },
  })
  const world = await openWorld(embedded!)
  try {
    const path = await world.collection()
    const record = { id: 'a', type: 'T', data: 1 }
    await world.push(path, { base: null, schemas: { T: {} }, puts: [record] })
    for (let n = 0; n < 20; n++) await world.patch(path, { n })
    const histories = historiesOf({ ...world.context, objects: watched(world.context.objects) })
    const { items } = await histories.list(anonymous, { ...path, type: 'T', id: 'a' }, {})
    expect(items.map(({ semver }) => semver)).toEqual(['v1.0.0'])
    expect(most).toBe(8)
  } finally {
    await world.dispose()
  }
})
