import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { TableError } from './index.ts'
import { type FileOptions, openFile } from './node.ts'
import { readingCases, refusalCases } from './testing/field-cases.table.ts'

const pathOf = (file: string) => join(import.meta.dirname, 'testing', 'field-cases', file)

async function read(file: string, options: FileOptions = {}) {
  const table = await openFile(pathOf(file), options)
  try {
    const rows: (readonly unknown[])[] = []
    for await (const batch of table.batches())
      for (const { values } of batch)
        rows.push(
          table.columns.map((_, place) => JSON.parse(JSON.stringify(values[place] ?? null)) as unknown),
        )
    return { columns: table.columns, rows, notes: table.notes }
  } finally {
    await table.close()
  }
}

const withNulls = (rows: readonly (readonly unknown[])[]) =>
  rows.map((row) => row.map((value) => value ?? null))

test.each(readingCases.map((one) => [`${one.file} ${one.table ?? ''}`, one] as const))(
  '%s is read as the table that it is',
  async (_, { file, table, columns, rows: expected, notes: options = [], asks }) => {
    const { columns: found, rows, notes } = await read(file, { table })
    expect(found).toEqual(columns)
    if (typeof expected === 'number') expect(rows).toHaveLength(expected)
    else expect(rows).toEqual(withNulls(expected))
    expect(notes.map(({ option }) => option)).toEqual(options)
    expect(notes.filter(({ isUncertain }) => isUncertain).map(({ option }) => option)).toEqual(
      asks === undefined ? [] : [asks],
    )
    // The first choice is the reading in use.
    for (const { choices } of notes)
      if (choices[0] !== undefined)
        expect(await read(file, { table, ...choices[0].options })).toMatchObject({ columns, rows })
  },
)

test.each(refusalCases)(
  '$file is refused, and the way that it names works',
  async ({ file, says, way, rows }) => {
    const refused = await read(file).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(TableError)
    expect((refused as TableError).message).toContain(says)
    if (way === undefined) return
    expect(way).toMatchObject(
      (refused as TableError).choices[0]!.options.missing === undefined
        ? (refused as TableError).choices[0]!.options
        : {},
    )
    expect((await read(file, way)).rows).toEqual(withNulls(rows!))
  },
)

test('each file has its outcome', () => {
  const covered = new Set([...readingCases, ...refusalCases].map(({ file }) => file))
  const files = readdirSync(pathOf('')).filter((file) => file !== 'README.md')
  expect([...covered].sort()).toEqual(files.sort())
})

test('Infinity of Parquet is treated as missing where the reader says so', async () => {
  expect((await read('inf.parquet', { missing: ['Infinity'] })).rows.map(([, value]) => value)).toEqual([
    1.5,
    null,
    null,
  ])
})
