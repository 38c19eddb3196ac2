/** Large numbers from a file to a version and back: accepted values stay exact; others become text or are refused. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson } from '../testing/cli.ts'

describe.each(anyDatabase)('numbers on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
  beforeAll(async () => {
    const opened = await open()
    dispose = opened.dispose
    server = await serveForTest(opened.settings)
    key = await server.keyFor((await server.signIn('ada')).cookie, 'write')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  test.each([
    ['big.csv', 'id,v\n1,1.78784E+16\n2,3\n', '17878400000000000'],
    ['big.json', '[{"id":1,"v":1e16},{"id":2,"v":2}]', '10000000000000000'],
    ['digits.ndjson', '{"id":1,"v":10000000000000000}\n{"id":2,"v":0.5}\n', '10000000000000000'],
    ['point.csv', 'id,v\n1,9007199254740993.0\n2,3\n', '"9007199254740993.0"'],
    ['bits.csv', 'id,v\n1,123456789012345683968\n2,3\n', '"123456789012345683968"'],
  ])('%s is imported, pushed, cloned and verified with the value that it has', async (file, text, value) => {
    const ada = openPerson(server.url, key)
    const name = file.replace('.', '-')
    mkdirSync(join(ada.home, 'here'))
    writeFileSync(join(ada.home, file), text)
    const done = async (folder: string, ...words: string[]) => {
      const result = await ada.ulmus(folder, ...words)
      expect(result, words.join(' ')).toMatchObject({ code: 0 })
      return result
    }
    await done('here', 'init', `ada/${name}`)
    await done('here', 'import', `../${file}`, '--type', 'T', '--id', 'id', '--yes')
    await done('here', 'push')
    await done('.', 'clone', `ada/${name}`, 'there')
    await done('there', 'verify')
    expect(readFileSync(join(ada.home, 'there/records/T.ndjson'), 'utf8')).toContain(`"v":${value}`)
    expect((await done('.', 'get', `ada/${name}#T`, '--ndjson')).out).toContain(`"v":${value}`)
    expect((await done('.', 'get', `ada/${name}#T`, '--csv')).out).toContain(`1,${JSON.parse(`[${value}]`)}`)
    ada.dispose()
  })
})
