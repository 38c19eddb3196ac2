/**
 * Shapes for query parameters and the paging of lists. Parameters arrive as strings: these shapes parse them strictly, because a default in
 * place of a misspelt value would return wrong data. docs/design/http-api.md §1 and §7.
 */
import { z } from 'zod'

/** Query of an operation without parameters: any parameter is refused. */
export const NoQuery = z.strictObject({})

/** `true` or `1`, `false` or `0`, nothing else; absent is false. */
export const querySwitch = (description: string) =>
  z
    .enum(['true', 'false', '1', '0'], { error: 'must be true or false' })
    .transform((text) => text === 'true' || text === '1')
    .default(false)
    .meta({ type: 'boolean', enum: [true, false], default: false, description, examples: [true] })

/** One value or several of a repeated parameter. */
export const repeated = z.union([z.string().transform((one) => [one]), z.array(z.string())])
/** Describes a repeated parameter. */
export const repeatedMeta = (description: string, example: string) => ({
  type: 'array' as const,
  items: { type: 'string' },
  description,
  examples: [[example]],
})

const isInteger = (text: string, least: number): boolean => /^[0-9]+$/.test(text) && Number(text) >= least

/** Results per page: an integer of at least 1 (default: `usual`). More than `max` counts as `max`. */
export const queryLimit = (usual: number, max: number) =>
  z
    .string()
    .refine((text) => isInteger(text, 1), { error: 'must be an integer of at least 1', abort: true })
    .transform((text) => Math.min(Number(text), max))
    .default(usual)
    .meta({
      type: 'integer',
      minimum: 1,
      default: usual,
      description: `Results per page (default: ${usual}). More than ${max} counts as ${max}.`,
      examples: [usual],
    })

/** Cap of an offset: greater ones are treated like this one. The largest 32-bit integer. */
const offsetMax = 2_147_483_647

/** Results to skip: an integer of at least 0 (default: 0). */
export const queryOffset = () =>
  z
    .string()
    .refine((text) => isInteger(text, 0), { error: 'must be an integer of at least 0', abort: true })
    .transform((text) => Math.min(Number(text), offsetMax))
    .default(0)
    .meta({
      type: 'integer',
      minimum: 0,
      default: 0,
      description: 'Results to skip (default: 0). For deep pages, `cursor` is faster.',
      examples: [0],
    })

/** Start of a page, from the `next` of a `Link` header. */
export const queryCursor = (example: string) =>
  z
    .string()
    .min(1)
    .optional()
    .meta({
      description: 'Start of the page, from `next` of a `Link` header.',
      examples: [example],
    })

/** Results per page of a list, unless the request has a `limit`. */
export const listLimitUsual = 50
/** Greater limits are treated like this one. */
export const listLimitMax = 100

/** Example cursor for each kind of list; cursors are opaque to callers. */
const exampleCursors = {
  audit:
    'WyJhdWRpdCIsIm5leHQiLCIyMDI2LTAxLTE1VDAwOjAwOjAwLjAwMFoiLCIwMTk4YzlhMC0wMDAwLTcwMDAtODAwMC0wMDAwMDAwMDAwMDAiXQ',
  updated:
    'WyJ1cGRhdGVkIiwibmV4dCIsIjIwMjYtMDEtMTVUMDA6MDA6MDAuMDAwWiIsIjAxOThjOWEwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMCJd',
  slug: 'WyJzbHVnIiwibmV4dCIsImF0bGFzIiwiMDE5OGM5YTAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAwIl0',
  history: 'WyJoaXN0b3J5IiwibmV4dCIsInYxLjIuMCIsIjAxOThjOWEwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMCJd',
  reports:
    'WyJyZXBvcnRzIiwibmV4dCIsIjIwMjYtMDEtMTVUMDA6MDA6MDAuMDAwWiIsIjAxOThjOWEwLTAwMDAtNzAwMC04MDAwLTAwMDAwMDAwMDAwMCJd',
  semver: 'WyJzZW12ZXIiLCJuZXh0IiwidjEuMi4wIiwiMDE5OGM5YTAtMDAwMC03MDAwLTgwMDAtMDAwMDAwMDAwMDAwIl0',
}

/** Parameters of every list that is paged by limit and offset or cursor. */
export const listParameters = (kind: keyof typeof exampleCursors) => ({
  limit: queryLimit(listLimitUsual, listLimitMax),
  offset: queryOffset(),
  cursor: queryCursor(exampleCursors[kind]),
})

/** Lists of accounts and members, ordered by slug. */
export const ListQuery = z.strictObject(listParameters('slug'))
/** Lists of an account's collections, last changed first. */
export const CollectionListQuery = z.strictObject(listParameters('updated'))
/** Lists of versions, newest first. */
export const VersionListQuery = z.strictObject(listParameters('semver'))
/** Lists of versions in which a record changed, newest first. */
export const HistoryQuery = z.strictObject(listParameters('history'))
export type ListQuery = z.infer<typeof ListQuery>
