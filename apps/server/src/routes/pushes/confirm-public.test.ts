/** Schemas that make private data public: refused unless the opening confirms it, in both kinds of push. */

import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { addOrg } from '../../testing/serve.ts'
import { type Stage, setStage } from '../../testing/stage.ts'

const officer = 'Case officer'
const grants = { properties: { title: {}, [officer]: { private: true } } }
const shown = { properties: { title: {}, [officer]: {} } }
const salaries = { private: true, properties: { salary: {} } }

describe.each(anyDatabase)('what was private on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database)
  })
  afterAll(() => stage.end())

  const started = async (schemas: object = { Grants: grants, Salaries: salaries }) => {
    const { path } = await stage.newCollection()
    const puts = [{ id: '1', type: 'Grants', data: { title: 'A', [officer]: 'Ada' } }]
    await stage.push(path, { opening: { schemas }, puts })
    return path
  }
  const kinds = [
    ['pushes', 201, {}],
    ['versions/negotiate', 200, { manifest: [] }],
  ] as const

  describe.each(kinds)('POST …/%s', (kind, status, more) => {
    const open = (path: string, schemas: object, confirm_public?: string[], base_version = 'v1.0.0') =>
      stage.ada.post(`${path}/${kind}`, { base_version, schemas, confirm_public, ...more })

    test('422 private_field_made_public names the field, its type and where it is private', async () => {
      const path = await started()
      const schemas = { Grants: grants, Salaries: salaries, 'grants-2': shown }
      const refused = await open(path, schemas)
      expect(refused.status).toBe(422)
      expect(refused.json).toEqual({
        error: expect.stringContaining('`Case officer` of `grants-2` (private in `Grants`)'),
        code: 'private_field_made_public',
        statusCode: 422,
        madePublic: [{ type: 'grants-2', field: officer, private_in: ['Grants'] }],
        totalMadePublic: 1,
      })
      expect((await open(path, schemas, ['title', 'Grants'])).status).toBe(422)
      expect((await open(path, schemas, [officer, 'no such name'])).status).toBe(status)
    })

    test('a private type is confirmed by its name, a lost mark by the name of its field', async () => {
      const path = await started()
      const schemas = { Grants: shown, Salaries: { properties: { salary: {} } } }
      const refused = await open(path, schemas)
      expect(refused.json.madePublic).toEqual([
        { type: 'Grants', field: officer, private_in: ['Grants'] },
        { type: 'Salaries', field: null, private_in: ['Salaries'] },
      ])
      const half = await open(path, schemas, [officer])
      expect(half.json.madePublic).toEqual([{ type: 'Salaries', field: null, private_in: ['Salaries'] }])
      expect((await open(path, schemas, [officer, 'Salaries'])).status).toBe(status)
    })

    test('schemas that keep the marks, and first versions, need no confirmation', async () => {
      const path = await started()
      expect((await open(path, { Grants: grants, Salaries: salaries, Other: {} }, [])).status).toBe(422)
      const closed = { Grants: grants, Salaries: salaries, Other: { properties: { a: {} } } }
      expect((await open(path, closed)).status).toBe(status)
      const { path: empty } = await stage.newCollection()
      const first = await stage.ada.post(`${empty}/${kind}`, {
        ...{ base_version: null, schemas: { Grants: shown }, confirm_public: [officer], ...more },
      })
      expect(first.status).toBe(status)
    })
  })

  test('a field that one version drops and the next brings back is remembered, through metadata updates', async () => {
    const path = await started({ Grants: grants })
    const title = { properties: { title: {} } }
    const puts = [{ id: '1', type: 'Grants', data: { title: 'A' } }]
    await stage.push(path, { base: 'v1.0.0', opening: { schemas: { Grants: title } }, puts })
    const patched = await stage.ada.patch(`${path}/metadata`, { license: 'MIT' })
    expect(patched.json.semver).toBe('v2.0.1')
    const back = (confirm_public?: string[]) =>
      stage.ada.post(`${path}/pushes`, { base_version: 'v2.0.1', schemas: { Grants: shown }, confirm_public })
    expect((await back()).json).toMatchObject({
      code: 'private_field_made_public',
      madePublic: [{ type: 'Grants', field: officer, private_in: ['Grants'] }],
    })
    expect((await back([officer])).status).toBe(201)
    // Once confirmed, it stays public.
    const opening = { schemas: { Grants: shown }, confirm_public: [officer] }
    await stage.push(path, { base: 'v2.0.1', opening, puts })
    const again = { base_version: 'v3.0.0', schemas: { Grants: { ...shown, title: 'Grants' } } }
    expect((await stage.ada.post(`${path}/pushes`, again)).status).toBe(201)
  })

  test('names that were private in withdrawn versions are remembered, also where no version stands', async () => {
    const { path } = await stage.newCollection()
    const puts = [{ id: '1', type: 'Grants', data: { title: 'A' } }]
    await stage.push(path, { opening: { schemas: { Grants: { properties: { title: {} } } } }, puts })
    const withdraw = async (v: string) =>
      (await stage.keyOfAda('admin')).post(`${path}/versions/${v}/withdraw`, { reason: 'wrong', erase: true })
    await stage.push(path, { base: 'v1.0.0', opening: { schemas: { Grants: grants } }, puts })
    const open = (base_version: string | null, confirm_public?: string[]) =>
      stage.ada.post(`${path}/pushes`, { base_version, schemas: { Grants: shown }, confirm_public })
    const { semver } = (await stage.ada.get(`${path}/versions/latest`)).json
    expect((await withdraw(semver)).status).toBe(200)
    const refused = {
      code: 'private_field_made_public',
      madePublic: [{ type: 'Grants', field: officer, private_in: ['Grants'] }],
    }
    expect((await open('v1.0.0')).json).toMatchObject(refused)
    expect((await open('v1.0.0', [officer])).status).toBe(201)
    // A fork by a member also remembers the private names.
    await addOrg(stage.server, await stage.server.signIn('ada'), 'elms')
    expect((await stage.ada.post(`${path}/fork`, { targetOrg: 'elms', slug: 'fork' })).status).toBe(201)
    const ofFork = { base_version: 'v1.0.0', schemas: { Grants: shown } }
    expect((await stage.ada.post('/collections/elms/fork/pushes', ofFork)).json).toMatchObject(refused)
    expect((await withdraw('v1.0.0')).status).toBe(200)
    expect((await open(null)).json).toMatchObject(refused)
    expect((await open(null, [officer])).status).toBe(201)
  })

  test('pushing the same schemas again changes nothing', async () => {
    const path = await started()
    const session = await stage.opened(path, {
      base: 'v1.0.0',
      opening: { schemas: { Grants: grants, Salaries: salaries } },
    })
    expect((await stage.ada.post(`${session}/commit`)).json.code).toBe('no_changes')
  })
})
