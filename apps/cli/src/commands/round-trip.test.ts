/** A clone equals the pushed folder; after another push, a pull makes it equal again. */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { canonicalize, type Json, newNameFault, parseJson } from '@ulmus/content'
import { anyDatabase } from '@ulmus/storage/testing'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { fileNameOf, typeOfFileName } from '../folder/files/layout.ts'
import { openPerson } from '../testing/cli.ts'

/** Content of a folder, independent of notation. */
interface Said {
  /** By type, then id. */
  readonly types: Record<string, { schema: Json; records: Record<string, { data: Json; private: boolean }> }>
  readonly metadata: Record<string, Json>
  readonly readme: string | undefined
  /** Texts of files. */
  readonly files: string[]
}

const name = fc.oneof(
  fc.constantFrom(
    'City',
    '__proto__',
    'constructor',
    'a.ndjson',
    'C:D',
    'ø',
    'x ',
    '%41',
    'toString',
    '𝒳',
    'two words',
  ),
  fc
    .string({ minLength: 1, maxLength: 8 })
    .filter(
      (text) => !/^\.|[/\\]/.test(text) && text.isWellFormed() && newNameFault('type', text) === undefined,
    ),
)
const id = fc.oneof(
  fc.constantFrom(
    '__proto__',
    'a/b',
    '..',
    '.',
    'a"b',
    'a\\b',
    'é',
    'e\u0301',
    '\u{1f600}',
    '\uffff',
    ' ',
    '#',
  ),
  fc
    .string({ minLength: 1, maxLength: 12, unit: 'binary' })
    .filter((text) => text.isWellFormed() && newNameFault('id', text) === undefined),
)
const data = fc
  .jsonValue({ maxDepth: 3, stringUnit: 'grapheme' })
  // A member `$file` would refer to a missing file.
  .filter((value) => !JSON.stringify(value).includes('$file'))
  .map((value) => parseJson(canonicalize(value as Json)) as Json)
const record = fc.record({ data, private: fc.boolean() })
const schema = fc.constantFrom<Json>({}, { description: 'Anything' }, { private: true })
const dictionary = <T>(key: fc.Arbitrary<string>, value: fc.Arbitrary<T>, maxLength: number) =>
  fc
    .uniqueArray(fc.tuple(key, value), { maxLength, selector: ([text]) => text })
    .map((entries) => Object.fromEntries(entries) as Record<string, T>)
const said: fc.Arbitrary<Said> = fc.record({
  types: dictionary(name, fc.record({ schema, records: dictionary(id, record, 12) }), 3),
  metadata: dictionary(
    fc.string({ minLength: 1, maxLength: 6 }).filter((text) => text !== 'readme' && text.isWellFormed()),
    data.filter((value) => value !== null),
    3,
  ).map((object) => ({ ...object, description: 'A collection' })),
  readme: fc.option(
    fc.string({ maxLength: 40 }).filter((text) => text.isWellFormed()),
    { nil: undefined },
  ),
  files: fc.uniqueArray(fc.string({ maxLength: 20 }), { maxLength: 2 }),
})

/** Notations of a line, all for the same record. */
const style = fc.record({
  order: fc.array(fc.nat(), { minLength: 64, maxLength: 64 }),
  spaces: fc.boolean(),
  idLast: fc.boolean(),
  ends: fc.constantFrom('\n', '\r\n', '\n\n'),
  mark: fc.constantFrom('', '\ufeff'),
  asFolder: fc.boolean(),
})
type Style = typeof style extends fc.Arbitrary<infer T> ? T : never

function lineText(
  id: string,
  { data: value, private: isPrivate }: { data: Json; private: boolean },
  how: Style,
): string {
  const members: [string, Json][] = [
    ['id', id],
    ['data', value],
  ]
  if (isPrivate) members.push(['private', true])
  if (how.idLast) members.reverse()
  return `{${members.map(([key, one]) => `"${key}":${how.spaces ? ' ' : ''}${JSON.stringify(one)}`).join(how.spaces ? ' , ' : ',')}}`
}

function write(folder: string, { types, metadata, readme, files }: Said, how: Style): void {
  for (const part of ['schemas', 'records', 'files', 'README.md'])
    rmSync(join(folder, part), { recursive: true, force: true })
  const put = (path: string, text: string) => {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), text)
  }
  for (const [type, { schema: source, records }] of Object.entries(types)) {
    put(`schemas/${fileNameOf(type)}.json`, JSON.stringify(source))
    const lines = Object.entries(records)
      .map(([one, content], index) => ({
        text: lineText(one, content, how),
        at: how.order[index % how.order.length]!,
      }))
      .sort((a, b) => a.at - b.at)
      .map(({ text }) => text + how.ends)
    if (lines.length === 0) continue
    const half = Math.ceil(lines.length / 2)
    if (how.asFolder) {
      put(`records/${fileNameOf(type)}/1.ndjson`, how.mark + lines.slice(0, half).join(''))
      put(`records/${fileNameOf(type)}/2.ndjson`, lines.slice(half).join('').trimEnd())
    } else put(`records/${fileNameOf(type)}.ndjson`, how.mark + lines.join(''))
  }
  put('metadata.json', JSON.stringify(metadata))
  if (readme !== undefined) put('README.md', readme)
  for (const [index, text] of files.entries()) put(`files/${index}.txt`, text)
}

function read(folder: string): Said {
  const namesIn = (part: string): string[] => {
    try {
      return readdirSync(join(folder, part))
    } catch {
      return []
    }
  }
  const textOf = (path: string) => readFileSync(join(folder, path), 'utf8')
  const types = namesIn('schemas').map((file) => {
    const type = typeOfFileName(file.slice(0, -'.json'.length))
    const stem = file.slice(0, -'.json'.length)
    const sources = namesIn('records').includes(`${stem}.ndjson`)
      ? [`records/${stem}.ndjson`]
      : namesIn(`records/${stem}`).map((one) => `records/${stem}/${one}`)
    const lines = sources
      .flatMap((path) => textOf(path).replace('\ufeff', '').split(/\r?\n/))
      .filter((line) => line.trim() !== '')
    const records = lines.map((line) => parseJson(line) as { id: string; data: Json; private?: boolean })
    return [
      type,
      {
        schema: parseJson(textOf(`schemas/${file}`)) as Json,
        records: Object.fromEntries(
          records.map(({ id: one, data: value, private: isPrivate = false }) => [
            one,
            { data: value, private: isPrivate },
          ]),
        ),
      },
    ] as const
  })
  return {
    types: Object.fromEntries(types),
    metadata: parseJson(textOf('metadata.json')) as Record<string, Json>,
    readme: readdirSync(folder).includes('README.md') ? textOf('README.md') : undefined,
    files: namesIn('files')
      .map((file) => textOf(`files/${file}`))
      .sort(),
  }
}

const sorted = (one: Said): string =>
  canonicalize(
    parseJson(JSON.stringify({ ...one, readme: one.readme ?? null, files: [...one.files].sort() })) as Json,
  )

describe.each(anyDatabase)('folders and a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
  let slugs = 0

  beforeAll(async () => {
    const { settings, dispose: disposeDatabase } = await open()
    dispose = disposeDatabase
    server = await serveForTest(settings)
    const { cookie } = await server.signIn('ada')
    key = await server.keyFor(cookie, 'write')
  })
  afterAll(async () => {
    await server.close()
    await dispose()
  })

  test('clones and pulls equal the folder that was pushed', async () => {
    await fc.assert(
      fc.asyncProperty(said, style, said, style, async (first, firstStyle, second, secondStyle) => {
        const [ada, bob] = [openPerson(server.url, key), openPerson(server.url, key)]
        const done = async (who: typeof ada, ...args: string[]) => {
          const { code, out, said: words } = await who.ulmus('here', ...args)
          expect(code, `ulmus ${args.join(' ')}: ${words}`).toBe(0)
          return out
        }
        try {
          const collection = `ada/folder-${++slugs}`
          await done(ada, 'init', collection)
          write(join(ada.home, 'here'), first, firstStyle)
          await done(ada, 'push')
          expect(await done(ada, 'status')).toContain('Nothing changed.')
          await done(bob, 'clone', collection, '.')
          expect(sorted(read(join(bob.home, 'here')))).toBe(sorted(first))
          expect(await done(bob, 'status')).toContain('Nothing changed.')
          await done(bob, 'verify')

          write(join(ada.home, 'here'), second, secondStyle)
          const everything = ['--publish-private', '--snapshot', '--max-removed', '100%']
          await done(ada, 'push', ...everything, '-m', String(slugs)).catch((error) => {
            // The two may be equal.
            if (!String(error).includes('no_changes') && sorted(first) !== sorted(second)) throw error
          })
          await done(bob, 'pull')
          expect(sorted(read(join(bob.home, 'here')))).toBe(sorted(second))
          expect(await done(bob, 'status')).toContain('Nothing changed.')
          await done(bob, 'verify')
          await done(ada, 'checkout', 'v1.0.0')
          expect(sorted(read(join(ada.home, 'here')))).toBe(sorted(first))
        } finally {
          ada.dispose()
          bob.dispose()
        }
      }),
      { numRuns: Number(process.env['RUNS'] ?? 12) },
    )
  }, 300_000)
})
