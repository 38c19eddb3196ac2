/** Schemas of a delta: types that it does not name stay, null removes one, and removals are warnings in both kinds of push. */

import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../../testing/stage.ts'

describe.each(anyDatabase)('schemas of pushes on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  const reading = (id: string) => ({ id, type: 'Reading', data: {} })
  const started = async () => {
    const { path } = await stage.newCollection()
    const schemas = { Station: {}, Reading: { 'x-ref-type': 'Secret' }, Secret: { private: true } }
    await stage.push(path, { opening: { schemas }, puts: [reading('1'), reading('2')] })
    return path
  }
  const latest = async (path: string) => (await stage.ada.get(`${path}/versions/latest`)).json
  const removed = {
    ...{ code: 'type_removed', type: 'Reading', path: '', records: 2 },
    message: 'the type Reading is removed with its 2 records',
  }

  test('a delta that names one schema keeps the other types with their records', async () => {
    const path = await started()
    const session = await stage.opened(path, {
      base: 'v1.0.0',
      opening: { schemas: { Station: { title: 'S' } } },
    })
    expect((await stage.ada.post(`${session}/commit`)).json).toMatchObject({
      ...{ semver: 'v2.0.0', recordCount: 2, warnings: [], changes: { added: 0, updated: 0, removed: 0 } },
    })
    expect(Object.keys((await latest(path)).schemas).sort()).toEqual(['Reading', 'Secret', 'Station'])
    const open = (await stage.anyone.get(`${path}/versions/latest`)).json.schemas
    expect(open).toEqual({ Station: { title: 'S' }, Reading: {} })
  })

  test('null removes a type, with a warning at the dry run and at the commit', async () => {
    const path = await started()
    const opening = { schemas: { Reading: null } }
    const session = await stage.opened(path, { base: 'v1.0.0', opening, deletes: [reading('1')] })
    expect((await stage.ada.lines(`${session}/records`, [reading('3')])).status).toBe(422)
    for (const query of ['?dry_run=true', '']) {
      const { json } = await stage.ada.post(`${session}/commit${query}`)
      expect(json).toMatchObject({ warnings: [removed], totalWarnings: 1, changes: { removed: 2 } })
    }
    expect(Object.keys((await latest(path)).schemas).sort()).toEqual(['Secret', 'Station'])
  })

  test('a type that is not there cannot be removed: a warning says so', async () => {
    const path = await started()
    const body = { base_version: 'v1.0.0', schemas: { Readings: null } }
    expect((await stage.ada.post(`${path}/pushes`, body)).json).toMatchObject({
      warnings: [{ code: 'type_missing', type: 'Readings' }],
      total_warnings: 1,
    })
  })

  test('a snapshot names all types, and warns of those that it removes', async () => {
    const path = await started()
    const open = (schemas: object) =>
      stage.ada.post(`${path}/versions/negotiate`, { base_version: 'v1.0.0', schemas, manifest: [] })
    expect((await open({ Station: {}, Reading: null })).json).toMatchObject({
      code: 'invalid_schema',
      type: 'Reading',
    })
    const { json } = await open({ Station: {}, Secret: { private: true } })
    const commit = `${path}/versions/negotiate/${json.session_id}/commit`
    expect((await stage.ada.post(`${commit}?dry_run=true`)).json.warnings).toEqual([removed])
    expect((await stage.ada.post(commit)).json.warnings).toEqual([removed])
  })

  test('the limit of types counts those that stay', async () => {
    const { path } = await stage.newCollection()
    const many = (from: number, to: number) =>
      Object.fromEntries(Array.from({ length: to - from }, (_, n) => [`T${from + n}`, {}]))
    await stage.push(path, { opening: { schemas: many(0, 999) } })
    const open = (schemas: object) => stage.ada.post(`${path}/pushes`, { base_version: 'v1.0.0', schemas })
    expect((await open(many(999, 1_001))).json).toMatchObject({ code: 'too_many_types', types: 1_001 })
    expect((await open({ ...many(999, 1_001), T0: null })).status).toBe(201)
  })
})
