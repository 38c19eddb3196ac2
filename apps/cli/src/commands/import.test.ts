/** `ulmus import`: proposals for a first file, and for a second file with an existing schema. */
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { openPerson, type Person } from '../testing/cli.ts'

let ada: Person
afterEach(() => ada.dispose())

const put = (name: string, text: string) => writeFileSync(join(ada.home, name), text)
const ulmus = (...args: string[]) => ada.ulmus('f', ...args)
const bring = (file: string, ...flags: string[]) => ulmus('import', `../${file}`, '--yes', ...flags)
const schemaOf = (type: string) => JSON.parse(readFileSync(join(ada.home, `f/schemas/${type}.json`), 'utf8'))
const recordsOf = (type: string) =>
  readFileSync(join(ada.home, `f/records/${type}.ndjson`), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as { id: string; data: Record<string, unknown> })
const has = (text: string) => expect.stringContaining(text)

describe('a first file', () => {
  beforeEach(async () => {
    ada = openPerson('http://127.0.0.1:9')
    expect(await ulmus('init', 'ada/first')).toMatchObject({ code: 0 })
  })

  test('has no closed lists, requires the id alone, and keeps the order of its columns', async () => {
    put('wards.csv', csv(wards))
    const { code, said } = await bring('wards.csv', '--type', 'Ward')
    expect([code, said]).toEqual([
      0,
      has(
        'status has only 2 values: "closed", "open". To refuse others from now on, add --closed-list status.',
      ),
    ])
    expect(schemaOf('Ward')).toEqual({
      type: 'object',
      properties: {
        code: { type: 'string', propertyOrder: 0 },
        name: { type: 'string', propertyOrder: 1 },
        status: { type: 'string', propertyOrder: 2 },
        beds: { type: 'integer', propertyOrder: 3 },
      },
      required: ['code'],
      additionalProperties: false,
    })
  })

  test('may be a sheet of a workbook: it names its type, and hidden columns are left out', async () => {
    const workbooks = join(import.meta.dirname, '../../../../packages/tabular/src/testing/workbooks')
    for (const name of ['two-sheets.ods', 'hidden.xlsx'])
      copyFileSync(join(workbooks, name), join(ada.home, name))
    expect(await bring('two-sheets.ods')).toMatchObject({ code: 2, said: has('--table River') })
    expect(await bring('two-sheets.ods', '--table', 'River')).toMatchObject({ code: 0 })
    expect(recordsOf('River')).toMatchObject([{ id: 'r', data: { km: 12.5 } }])
    expect(await bring('hidden.xlsx', '--type', 'Staff')).toMatchObject({
      code: 0,
      said: has('Hidden column is left out: C (salary). Otherwise: --hidden'),
    })
    expect(Object.keys(schemaOf('Staff').properties)).toEqual(['code', 'name', 'room'])
    const flags = ['--type', 'Staff', '--hidden', '--private', 'salary']
    expect(await bring('hidden.xlsx', ...flags)).toMatchObject({ code: 0 })
    expect(schemaOf('Staff').properties.salary).toMatchObject({ type: 'integer', private: true })
  })

  test('is identified by the column that is called like an id, and a guess is called one', async () => {
    put('places.csv', 'name,alpha-2,country-code\nNorthland,NL,004\nSouthland,SL,012\n')
    expect((await bring('places.csv')).said).toContain('identified by country-code:')
    put('people.csv', ',first,last\n0,Ann,Ek\n1,Bo,Li\n')
    const { said } = await bring('people.csv')
    expect(said).toContain('identified by first:')
    expect(said).toContain('No column is called like an id. first was taken because it has another value')
    put('ranks.csv', 'Rank,medals\n1,37\n2,27\n')
    expect(await bring('ranks.csv')).toMatchObject({
      code: 2,
      said: has('ranks.csv has no column with a different value in every row'),
    })
  })

  test('has no private column in its ids: another is proposed, and a chosen one is refused with two remedies', async () => {
    put('people.csv', 'email,name,room\nann@x.example,Ann,R1\nbo@x.example,Bo,R2\n')
    expect((await bring('people.csv', '--private', 'email')).said).toContain('identified by name:')
    for (const ids of [['email'], ['room', 'email']])
      expect(
        await bring('people.csv', '--private', 'email', ...ids.flatMap((id) => ['--id', id])),
      ).toMatchObject({
        code: 6,
        said: has(
          'so it cannot be private. Choose another id, or number the rows. Add --id COLUMN, or --number.',
        ),
      })
    put('mails.csv', 'email,size\nann@x.example,1\nbo@x.example,1\n')
    expect(await bring('mails.csv', '--private', 'email')).toMatchObject({
      code: 2,
      said: has('except counts, measurements and private columns (email): everyone reads ids. Name the id'),
    })
    expect(await bring('mails.csv', '--private', 'email', '--number')).toMatchObject({ code: 0 })
    // Private in the working folder since the first file.
    put('mails-2.csv', 'email,size\nann@x.example,1\ncy@x.example,1\n')
    const { code, said } = await bring(
      'mails-2.csv',
      '--type',
      'Mails',
      '--id',
      'email',
      '--leave-out',
      'email',
    )
    expect([code, said]).toEqual([6, has('"email" is the id, and everyone reads ids')])
    expect(recordsOf('Mails').map(({ id }) => id)).toEqual(['1', '2'])
  })

  test('may be identified by two columns, and the next file by the same ones', async () => {
    put('stops.csv', 'trip_id,stop_sequence,stop_id\nT1,1,S1\nT1,2,S2\nT2,1,S1\nT2,2,S2\n')
    expect(await bring('stops.csv')).toMatchObject({
      code: 2,
      said: has('but trip_id and stop_sequence do together: add --id trip_id --id stop_sequence.'),
    })
    const { out } = await bring('stops.csv', '--id', 'trip_id', '--id', 'stop_sequence', '--json')
    expect(JSON.parse(out)).toMatchObject([{ id: ['trip_id', 'stop_sequence'], records: 4 }])
    expect(recordsOf('Stops').map(({ id }) => id)).toEqual(['T1~1', 'T1~2', 'T2~1', 'T2~2'])
    put('stops.csv', 'trip_id,stop_sequence,stop_id\nT1,1,S9\nT1,2,S2\nT2,1,S1\nT2,2,S2\n')
    expect(await bring('stops.csv')).toMatchObject({
      code: 0,
      said: has('identified by trip_id and stop_sequence'),
    })
    expect(recordsOf('Stops')[0]!.data).toEqual({ trip_id: 'T1', stop_sequence: 1, stop_id: 'S9' })
  })

  test('of SQLite has its declared key, and REAL is a number', async () => {
    const database = new DatabaseSync(join(ada.home, 'mix.db'))
    database.exec(
      "CREATE TABLE reading(v REAL, site TEXT, at TEXT, PRIMARY KEY(site, at)); INSERT INTO reading VALUES (1, 'A1', 'd1'), (2, 'A1', 'd2')",
    )
    database.close()
    expect((await bring('mix.db', '--type', 'Reading')).said).toContain('identified by site and at:')
    expect(schemaOf('Reading').properties.v).toEqual({ type: 'number', propertyOrder: 0 })
  })

  test('keeps codes as texts, and reads numbers and dates as people write them when it is asked to', async () => {
    put('versions.csv', 'id,section,amount,when\na,1.1,"1,338",31/01/2024\nb,1.10,77,01/02/2024\n')
    const { said } = await bring('versions.csv')
    expect(said).toContain(
      'section stays text: 1.1 and 1.10 (line 3) would be one number. For numbers, add --kind section=number.',
    )
    expect(said).toContain(
      'amount: 1 value could be read as integer, the first in line 2: 1,338 as 1338. Add --convert amount=thousands, or --convert amount=decimal-comma.',
    )
    expect(
      await bring(
        'versions.csv',
        '--convert',
        'amount=thousands',
        '--convert',
        'when=day-month-year',
        '--type',
        'V',
      ),
    ).toMatchObject({ code: 0 })
    expect(recordsOf('V').map(({ data }) => data)).toEqual([
      { section: '1.1', amount: 1338, when: '2024-01-31' },
      { section: '1.10', amount: 77, when: '2024-02-01' },
    ])
    expect(await bring('versions.csv', '--convert', 'amount=roman')).toMatchObject({
      code: 2,
      said: has('one of thousands, '),
    })
  })

  test('that looks like a type that is here says so, and its private columns stay private', async () => {
    put('grants.csv', 'code,title,officer\n1,a,x\n2,b,y\n')
    await bring('grants.csv', '--type', 'Grant', '--private', 'officer')
    put('export (1).csv', 'code,title,officer\n1,a,x\n3,c,z\n')
    const { code, said } = await bring('export (1).csv')
    expect(code).toBe(0)
    expect(said).toContain(
      '3 of 3 columns are fields of Grant, and 1 of 2 ids are in it. To import the file as this type, add --type Grant.',
    )
    expect(said).toContain('officer is private here because it is private in Grant.')
    expect(schemaOf('Export1').properties.officer).toMatchObject({ private: true })
  })

  test('has a private column under another name: it stays private, and the rename is proposed', async () => {
    put('grants.csv', 'code,title,Case officer\n1,a,ann\n2,b,berta\n3,c,ann\n')
    await bring('grants.csv', '--type', 'Grant', '--private', 'Case officer')
    put('grants-2.csv', 'code,title,Officer\n1,a,ann\n2,b,berta\n3,c,ann\n4,d,cleo\n')
    const next = (...flags: string[]) => bring('grants-2.csv', '--type', 'Grant', ...flags)
    expect((await next()).said).toContain("renamed? --rename 'Officer=Case officer'")
    const { code, said } = await next('--optional', 'Case officer')
    expect([code, said]).toEqual([
      0,
      has(
        'Officer is private here: it repeats the values of the private column Case officer. To keep the field',
      ),
    ])
    expect(schemaOf('Grant').properties.Officer).toMatchObject({ private: true })
    // As the id of a new type, too.
    put('officers.csv', 'who,code\nann,1\nberta,2\ncleo,4\n')
    expect(await bring('officers.csv', '--id', 'who')).toMatchObject({
      code: 6,
      said: has('"who" is the id, and everyone reads ids'),
    })
    expect((await bring('officers.csv', '--id', 'code')).said).toContain(
      'who is private here: it repeats the values of the private column Officer of Grant.',
    )
  })
})

type Ward = readonly string[]
const wards: readonly Ward[] = Array.from({ length: 120 }, (_, at) => [
  `W${String(at).padStart(3, '0')}`,
  `Ward ${at}`,
  at % 3 === 0 ? 'closed' : 'open',
  String((at % 7) + 1),
])
const csv = (rows: readonly Ward[], header = 'code,name,status,beds') =>
  `${header}\n${rows.map((row) => row.join(',')).join('\n')}\n`
const withCell = (row: number, column: number, value: string) =>
  wards.map((ward, at) => (at === row ? ward.with(column, value) : ward))

describe.each(anyDatabase)('a second file, against a server on $name', ({ settings: open }) => {
  let server: TestServer
  let dispose: () => Promise<void>
  let key: string
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
  beforeEach(async () => {
    ada = openPerson(server.url, key)
    put('wards.csv', csv(wards))
    await ulmus('init', `ada/wards-${++slugs}`)
    const strict = [
      '--closed-list',
      'status',
      '--required',
      'name',
      '--required',
      'beds',
      '--private',
      'name',
    ]
    expect(await bring('wards.csv', '--type', 'Ward', ...strict)).toMatchObject({ code: 0 })
    expect(await ulmus('push')).toMatchObject({ code: 0, out: 'v1.0.0\n' })
  })
  const second = (text: string, ...flags: string[]) => {
    put('wards-2.csv', text)
    return bring('wards-2.csv', '--type', 'Ward', ...flags)
  }

  test('with the same rows in another order changes nothing', async () => {
    const turned = wards.toReversed().map(([code, name, status, beds]) => [beds!, code!, status!, name!])
    expect(await second(csv(turned, 'beds,code,status,name'))).toMatchObject({ code: 0 })
    expect((await ulmus('status')).out).toContain('Nothing changed.')
  })

  test('of the registry itself has the ids in `_id`, which is no field', async () => {
    const at = `${server.url}/api/collections/ada/wards-${slugs}/versions/v1.0.0/tables/Ward.csv`
    const response = await fetch(at, { headers: { authorization: `Bearer ${key}` } })
    const { said } = await second((await response.text()).replace('Ward 7,', 'Seventh,'))
    expect(said).toContain('identified by _id:')
    expect((await ulmus('status')).out).toBe(`ada/wards-${slugs}, at v1.0.0\n  Ward  ~1 updated\n`)
  })

  test.each<[what: string, text: string, refusal: string, flags: readonly string[], version: string]>([
    [
      'a new choice',
      csv(withCell(10, 2, 'planned')),
      '  status: 1 value is none of the 2 that it may have (line 12): "planned".\n    --allow-new-values status\n',
      ['--allow-new-values', 'status'],
      'v2.0.0',
    ],
    [
      'an empty cell',
      csv(withCell(4, 3, '')),
      '  beds: 1 row has no value (line 6), and it is required.\n    --optional beds\n',
      ['--optional', 'beds'],
      'v2.0.0',
    ],
    [
      'a mark',
      csv(withCell(4, 3, 'n/a')),
      '  beds: 1 value is no integer (line 6): "n/a".\n    --missing beds=n/a --optional beds  or  --kind beds=string\n',
      ['--missing', 'n/a', '--optional', 'beds'],
      'v2.0.0',
    ],
    [
      'a fraction',
      csv(withCell(4, 3, '2.5')),
      '    --kind beds=number\n',
      ['--kind', 'beds=number'],
      'v2.0.0',
    ],
    [
      'a column dropped',
      csv(
        wards.map((ward) => ward.slice(0, 3)),
        'code,name,status',
      ),
      '  beds: The file has no such column.\n    --optional beds (without it)\n',
      ['--optional', 'beds'],
      'v2.0.0',
    ],
    [
      'a column renamed',
      csv(wards, 'code,ward_name,status,beds'),
      'renamed? --rename ward_name=name  or',
      ['--rename', 'ward_name=name'],
      'none',
    ],
    [
      'the id renamed',
      csv(wards, 'ward_code,name,status,beds'),
      'renamed? --rename ward_code=code  or',
      ['--rename', 'ward_code=code'],
      'none',
    ],
  ])(
    '%s is refused at once, and published with the flag that it names',
    async (_, text, refusal, flags, version) => {
      const refused = await second(text)
      expect(refused).toMatchObject({ code: 6, said: has('wards-2.csv does not fit Ward:\n') })
      expect(refused.said).toContain(refusal)
      expect(refused.said.split('\n').length).toBeLessThan(8)
      const { code, said } = await second(text, ...flags)
      expect(code).toBe(0)
      if (version === 'v2.0.0')
        expect(said).toContain('The schema of Ward changes, so the next push makes v2.0.0:')
      else expect(said).not.toContain('The schema of Ward changes')
      expect(await ulmus('push')).toMatchObject({
        code: 0,
        ...(version === 'none' ? { said: has('Nothing changed since v1.0.0') } : { out: `${version}\n` }),
      })
    },
  )

  test('a separator is read as the kind of the field says', async () => {
    const { code, said } = await second(csv(withCell(4, 3, '"1,338"')))
    expect([code, said]).toEqual([0, has('read as thousands')])
    expect(said).not.toContain('The schema of Ward changes')
    expect(await ulmus('push')).toMatchObject({ code: 0, out: 'v1.1.0\n' })
  })

  test('a file may have 4,096 columns, and import tells if their schema is too large', async () => {
    const wide = (name: (at: number) => string) =>
      [
        ['id', ...Array.from({ length: 4_095 }, (_, at) => name(at))],
        ...[1, 2].map((row) => [row, ...Array.from({ length: 4_095 }, (_, at) => row * at)]),
      ]
        .map((cells) => cells.join())
        .join('\n')
    put(
      'wide.csv',
      wide((at) => `c${at}`),
    )
    expect(await bring('wide.csv', '--type', 'Wide')).toMatchObject({ code: 0 })
    expect(await ulmus('push')).toMatchObject({ code: 0, out: 'v2.0.0\n' })
    put(
      'long.csv',
      wide((at) => `a rather long name of a column ${at}`),
    )
    expect(await bring('long.csv', '--type', 'Long')).toMatchObject({
      code: 6,
      said: has('the schema of Long would have'),
    })
    expect((await ulmus('status')).out).toContain('Nothing changed')
  }, 180_000)

  test('a new column is a new field', async () => {
    const { code, said } = await second(
      csv(
        wards.map((ward) => [...ward, 'x']),
        'code,name,status,beds,note',
      ),
    )
    expect([code, said]).toEqual([0, has('  note is a new field.')])
    expect(schemaOf('Ward').properties).toMatchObject({ note: { propertyOrder: 4 }, name: { private: true } })
    expect(await ulmus('push')).toMatchObject({ code: 0, out: 'v2.0.0\n' })
  })

  test('a file of new ids alone is warned about', async () => {
    const small = csv(wards.map((ward) => ward.with(0, ward[0]!.toLowerCase())))
    const warning = 'Warning: None of the 120 Ward records remains: all ids of the file are new.'
    expect(await second(small)).toMatchObject({ code: 6, said: has(warning) })
    expect(await second(small, '--max-removed', '100%')).toMatchObject({ code: 0, said: has(warning) })
  })
})
