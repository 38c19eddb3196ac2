/** Pages of deprecated, withdrawn and erased versions over HTTP. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { linksOf, postingButtonsIn } from '../testing/crawl.ts'
import { pushesOn, type Stage, setStage } from '../testing/stage.ts'
import { type TestClient, testClient } from '../testing/test-client.ts'
import { versionPaths } from './reading-pages.ts'

describe.each(anyDatabase)('pages of versions that are not to be used, on $name', (database) => {
  let stage: Stage
  let ada: TestClient
  let anyone: TestClient

  beforeAll(async () => {
    stage = await setStage(database)
    ada = testClient(stage.server.url, await stage.server.signIn('ada'), '')
    anyone = testClient(stage.server.url, undefined, '')
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)

  /** Makes a public collection with the versions v1.0.0 and v1.1.0. Returns its path in the API and the path of its page. */
  async function twoVersions() {
    const path = await newPath()
    const put = (id: string) => ({ id, type: 'A', data: {} })
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [put('1')] })
    await stage.push(path, { base: 'v1.0.0', puts: [put('2')] })
    return { path, at: path.replace('/collections', '') }
  }

  test('a withdrawn version can be erased later, by users who may withdraw it', async () => {
    const { path, at } = await twoVersions()
    await (await stage.keyOfAda('admin')).post(`${path}/versions/v1.1.0/withdraw`, {
      reason: 'It was <wrong>.',
    })
    const withdraw = `${at}/withdraw?version=v1.1.0`
    const linked = async (client: TestClient) => {
      const list = await client.get(`${at}/versions`)
      return linksOf({ ...list, path: `${at}/versions` }).includes(withdraw)
    }
    const marks = async () => (await stage.anyone.get(`${path}/versions`)).json[0].withdrawn
    expect([await linked(ada), await linked(anyone)]).toEqual([true, false])
    const form = await ada.get(withdraw)
    expect(form.status).toBe(200)
    expect(form.text).toContain('It was &lt;wrong>.')
    const buttons = postingButtonsIn(form.text).filter(({ action }) => action === undefined)
    expect(buttons.map(({ value, fields }) => [value, fields])).toEqual([['erase', ['confirm']]])

    const unsure = await ada.postForm(withdraw, { do: 'erase', confirm: 'v1.0.0' })
    expect([unsure.status, unsure.text.includes('Nothing was erased')]).toEqual([400, true])
    expect(await marks()).toMatchObject({ reason: 'It was <wrong>.', erase: false })
    const eve = testClient(stage.server.url, await stage.server.signIn('eve'), '')
    expect((await eve.postForm(withdraw, { do: 'erase', confirm: 'v1.1.0' })).status).toBe(403)
    const erased = await ada.postForm(withdraw, { do: 'erase', confirm: 'v1.1.0' })
    expect([erased.status, erased.headers.location]).toEqual([303, `${at}/versions`])
    expect(await marks()).toMatchObject({ reason: 'It was <wrong>.', erase: true })

    expect(await linked(ada)).toBe(false)
    const after = await ada.get(withdraw)
    expect([after.status, after.text.includes('value="erase"')]).toEqual([200, false])
  })

  test('a form that erases withdraws nothing that stands', async () => {
    const { path, at } = await twoVersions()
    const withdraw = `${at}/withdraw?version=v1.1.0`
    const { status, text } = await ada.postForm(withdraw, { do: 'erase', confirm: 'v1.1.0' })
    expect([status, text.includes('withdrawn first')]).toEqual([400, true])
    expect((await stage.anyone.get(`${path}/versions/v1.1.0`)).status).toBe(200)
  })

  test('every page of a deprecated version says so, and no page of another', async () => {
    const { path, at } = await twoVersions()
    await stage.ada.post(`${path}/versions/v1.1.0/deprecate`, { message: 'Take v1.0.0.' })
    for (const below of versionPaths())
      for (const client of [ada, anyone])
        for (const [version, isDeprecated] of [
          ['', true],
          ['/v/v1.1.0', true],
          ['/v/v1.0.0', false],
        ] as const) {
          const { status, text } = await client.get(`${at}${version}${below}`)
          const says = text.includes('This version is deprecated.')
          expect([version, below, status, says]).toEqual([version, below, 200, isDeprecated])
        }
  })
})
