/** `push` and `import` refuse to remove more of a type than `--max-removed` permits. */
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../testing/cli.ts'

describe.each(anyDatabase)('a type that loses its records, on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
  let ada: Person
  let slugs = 0

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    key = await server.keyFor((await server.signIn('ada')).cookie, 'write')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })
  afterEach(() => ada.dispose())

  const rows = (count: number) => `id,name\n${Array.from({ length: count }, (_, n) => `i${n},n\n`).join('')}`
  const put = (name: string, text: string) => writeFileSync(join(ada.home, name), text)
  const records = () => readFileSync(join(ada.home, 'f/records/Item.ndjson'), 'utf8').split('\n').length - 1
  const ulmus = (...args: string[]) => ada.ulmus('f', ...args)
  const bring = (file: string, ...flags: string[]) =>
    ulmus('import', `../${file}`, '--type', 'Item', '--id', 'id', '--yes', ...flags)

  /** A folder with a published version of 40 items. */
  const published = async () => {
    ada = openPerson(server.url, key)
    put('items.csv', rows(40))
    await ulmus('init', `ada/items-${++slugs}`)
    expect(await bring('items.csv')).toMatchObject({ code: 0 })
    expect(await ulmus('push')).toMatchObject({ code: 0, out: 'v1.0.0\n' })
  }

  test('import: a file with few of the rows, or none, leaves the folder as it is', async () => {
    await published()
    put('items.csv', rows(1))
    expect(await bring('items.csv')).toMatchObject({
      code: 6,
      said: expect.stringContaining(
        'items.csv would remove 39 of 40 records of Item (97.5 %), and at most 20 may go (50%). Nothing was imported. To remove them anyway, add --max-removed 100%.',
      ),
    })
    put('none.json', '[]')
    put('none.csv', 'id,name\n')
    for (const file of ['none.json', 'none.csv'])
      expect(await bring(file)).toMatchObject({ code: 6, said: expect.stringContaining('40 of 40 records') })
    expect([records(), existsSync(join(ada.home, 'f/.ulmus/staged'))]).toEqual([40, false])
    expect(await bring('items.csv', '--add')).toMatchObject({ code: 0 })
    expect((await ulmus('status')).out).toContain('Nothing changed.')
  })

  test('import: half may go, a bound of its own is kept, and 100% is everything', async () => {
    await published()
    put('items.csv', rows(38))
    expect(await bring('items.csv', '--max-removed', '1')).toMatchObject({ code: 6 })
    expect(await bring('items.csv', '--max-removed', '4.9%')).toMatchObject({ code: 6 })
    expect(await bring('items.csv', '--max-removed', '5%')).toMatchObject({ code: 0 })
    put('items.csv', rows(19))
    expect(await bring('items.csv')).toMatchObject({ code: 0 })
    put('none.json', '[]')
    expect(await bring('none.json', '--max-removed', '100%')).toMatchObject({ code: 0 })
    expect(records()).toBe(0)
    expect(await bring('none.json', '--max-removed', 'all')).toMatchObject({ code: 2 })
  })

  test('import: a file without rows makes no new type', async () => {
    await published()
    put('none.json', '[]')
    expect(await ulmus('import', '../none.json', '--type', 'Other', '--yes')).toMatchObject({
      code: 6,
      said: expect.stringContaining('none.json has no rows'),
    })
    expect(existsSync(join(ada.home, 'f/schemas/Other.json'))).toBe(false)
  })

  test('push: a type that shrinks or goes is refused, and published when it is meant', async () => {
    await published()
    rmSync(join(ada.home, 'f/records/Item.ndjson'))
    const emptied = expect.stringContaining(
      'This push would remove 40 of 40 records of Item (100 %), and at most 20 may go (50%). Nothing was pushed.',
    )
    expect(await ulmus('push')).toMatchObject({ code: 6, said: emptied })
    expect(await ulmus('push', '--dry-run')).toMatchObject({ code: 6, said: emptied })
    expect(await ulmus('push', '--snapshot')).toMatchObject({ code: 6, said: emptied })
    const json = JSON.parse((await ulmus('push', '--json', '--quiet', '--max-removed', '39')).said)
    expect(json).toMatchObject({ code: 'too_many_removed' })
    rmSync(join(ada.home, 'f/schemas/Item.json'))
    expect(await ulmus('push')).toMatchObject({ code: 6, said: emptied })
    expect(await ulmus('push', '--max-removed', '100%')).toMatchObject({ code: 0, out: 'v2.0.0\n' })
  })
})
