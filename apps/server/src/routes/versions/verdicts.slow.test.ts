/** Documents about a version, and the tables that they describe, read by the packages of those who made the standards. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstThatRuns, run } from '../../testing/snippets.ts'
import { type Stage, setStage } from '../../testing/stage.ts'
import { expectStatus, fileHash, whenBuilt } from '../../testing/test-client.ts'

const verdict = join(import.meta.dirname, '../../testing/verdict.py')
const venv = process.env['VERDICTS_VENV']
const python = await firstThatRuns(
  [...(venv === undefined ? [] : [join(venv, 'bin/python')]), 'python3'],
  ['-c', 'import mlcroissant, frictionless'],
)

const list = (items: object) => ({ type: 'array', items })
const scalars = {
  text: { type: 'string', minLength: 1, maxLength: 80, pattern: '^[a-z]' },
  number: { type: 'number', minimum: -1, exclusiveMaximum: 100 },
  integer: { type: 'integer', minimum: 0 },
  boolean: { type: 'boolean' },
  date: { type: 'string', format: 'date' },
  time: { type: 'string', format: 'date-time' },
  link: { type: 'string', format: 'uri' },
  choice: { type: ['string', 'null'], enum: ['one', 'two', null] },
  level: { enum: [1, 2, 3], type: 'integer' },
}
const schemas = {
  Thing: {
    title: 'A thing',
    description: 'All kinds of columns',
    type: 'object',
    properties: {
      ...scalars,
      ...Object.fromEntries(Object.entries(scalars).map(([name, schema]) => [`${name} list`, list(schema)])),
      picture: { type: 'object', properties: { $file: { type: 'string' } }, required: ['$file'] },
      pictures: list({ type: 'object', properties: { $file: { type: 'string' } }, required: ['$file'] }),
      nested: { type: 'object', properties: { name: { type: 'string' }, at: { type: 'number' } } },
      rows: list({ type: 'object', properties: { a: { type: 'integer' } } }),
      lists: list(list({ type: 'integer' })),
      anything: {},
      either: { type: ['string', 'number'] },
      open: { type: 'object' },
      place: { type: 'string', 'x-ref-type': 'Länder & Städte' },
      'a/b "c", d~e': { type: 'string' },
      'mit Leerzeichen': { type: 'string' },
      'ß.ü': { type: 'integer' },
      value: { type: 'number' },
    },
    required: ['text'],
  },
  'Länder & Städte': { type: 'object', properties: { name: { type: 'string' } } },
  Empty: { type: 'object', properties: { name: { type: 'string' } } },
  Untyped: {},
}
const picture = 'a picture'
const file = { $file: fileHash(picture) }
const values = {
  text: 'abc',
  number: 1.5,
  integer: 9_007_199_254_740_991,
  boolean: true,
  date: '2026-02-28',
  time: '2026-02-28T12:00:00.5+02:00',
  link: 'https://example.org/?a=b',
  choice: 'two',
  level: 3,
}
const full = {
  ...values,
  ...Object.fromEntries(Object.entries(values).map(([name, value]) => [`${name} list`, [value, value]])),
  ...{ picture: file, pictures: [file], nested: { name: 'x', at: 1 }, rows: [{ a: 1 }], lists: [[1], []] },
  ...{ anything: [1, 'a'], either: 7, open: { a: { b: null } }, place: 'é/1' },
  ...{ 'a/b "c", d~e': 'x,"y"\nz', 'mit Leerzeichen': ' x ', 'ß.ü': 0, value: 0.1 },
}
const puts = [
  { id: 'full', type: 'Thing', data: full },
  { id: 'NA', type: 'Thing', data: { text: 'x', choice: null } },
  { id: '007', type: 'Thing', data: { text: 'y', boolean: false, 'integer list': [], number: -1 } },
  { id: 'é/1', type: 'Länder & Städte', data: { name: 'Österreich' } },
  { id: '1', type: 'Untyped', data: { a: 1 } },
]

describe.skipIf(python === undefined).each(anyDatabase)('verdicts on $name', (database) => {
  let stage: Stage
  let path: string
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-verdicts-'))

  beforeAll(async () => {
    stage = await setStage(database)
    path = (await stage.newCollection()).path
    await stage.ada.upload(path, picture)
    const metadata = { license: 'CC-BY-4.0', creators: ['Ada'], keywords: ['a', 'b'], description: 'Things' }
    await stage.push(path, { opening: { schemas, metadata }, puts })
    for (const type of Object.keys(schemas))
      for (const format of ['csv', 'parquet'])
        await whenBuilt(() =>
          stage.anyone.get(`${path}/versions/v1.0.0/tables/${encodeURIComponent(type)}.${format}`),
        )
  })
  afterAll(async () => {
    await stage.end()
    rmSync(folder, { recursive: true, force: true })
  })

  async function judged(kind: 'croissant' | 'datapackage'): Promise<unknown[]> {
    const { text } = await expectStatus(stage.anyone.get(`${path}/versions/v1.0.0/${kind}.json`), 200)
    const document = join(folder, `${kind}.json`)
    writeFileSync(document, text)
    const { code, out } = await run(python!, [verdict, kind, document], {
      cwd: folder,
      // The packages keep what they download.
      env: { HOME: folder },
    })
    expect(code, out).toBe(0)
    return out
      .split('\n')
      .flatMap((line) => (line.startsWith('{') || line.startsWith('[') ? [JSON.parse(line)] : []))
  }

  test('Croissant: accepted by mlcroissant, which reads all records', async () => {
    expect(await judged('croissant')).toEqual([
      { errors: [], warnings: [] },
      { recordSet: 'Empty', records: 0 },
      { recordSet: 'Länder & Städte', records: 1 },
      { recordSet: 'Thing', records: 3 },
      { recordSet: 'Untyped', records: 1 },
    ])
  }, 180_000)

  test('Data Package: accepted by frictionless, which checks all rows', async () => {
    expect(await judged('datapackage')).toEqual([
      [],
      { resource: 'empty', rows: null },
      { resource: 'l-nder-st-dte', rows: 1 },
      { resource: 'thing', rows: 3 },
      { resource: 'untyped', rows: 1 },
    ])
  }, 180_000)
})
