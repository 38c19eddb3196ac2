/** Picks fields of a record's data, for `rows.ts`: a task for a reading thread if the data are long. */
import { type Json, parseJson } from '@ulmus/content'
import { defineTask } from '../work/task.ts'

export interface ChooseTask {
  /** The data as JSON. */
  readonly data: Uint8Array
  readonly id: string
  /** `path`: JSON pointer into the data; undefined: the id. */
  readonly fields: readonly { readonly name: string; readonly path: string | undefined }[]
}

/** Longer data are parsed in a thread: these take up to 6 ms. Bytes. */
const shortBytesMax = 16_384

export const chooseFields = defineTask({
  name: 'chooseFields',
  pool: 'read',
  run: choose,
  isShort: ({ data }) => data.length <= shortBytesMax,
})

/** @returns an object with the fields, as JSON, without those that the data lack */
function choose({ data, id, fields }: ChooseTask): Uint8Array {
  const needsData = fields.some(({ path }) => path !== undefined)
  const parsed = needsData ? (parseJson(Buffer.from(data).toString()) as Json) : null
  const chosen = fields.flatMap(({ name, path }): [string, Json][] => {
    const value = path === undefined ? id : valueAt(parsed, path)
    return value === undefined ? [] : [[name, value]]
  })
  return Buffer.from(JSON.stringify(Object.fromEntries(chosen)))
}

function valueAt(data: Json, pointer: string): Json | undefined {
  let at: Json | undefined = data
  for (const token of pointer.split('/').slice(1)) {
    const name = token.replaceAll('~1', '/').replaceAll('~0', '~')
    at =
      typeof at === 'object' && at !== null && !Array.isArray(at) && Object.hasOwn(at, name)
        ? at[name]
        : undefined
  }
  return at
}
