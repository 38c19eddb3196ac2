/** Reads what is stored of a user, section by section and page by page. */
import type { Queries } from '../../database/database.ts'
import { Values } from '../columns/rows.ts'
import type { Section } from './account-section.ts'
import { accountSections, type SectionName } from './account-sections.ts'

export type { SectionName }
export const exportedSections = Object.keys(accountSections) as readonly SectionName[]

/** Items of a section as JSON texts, in the order of its key. */
export interface ExportedPage {
  readonly items: readonly string[]
  /** Position of the last item; undefined: there are no more. */
  readonly next: readonly string[] | undefined
}

/** @param after `next` of the page before */
export async function readAccountSection(
  at: Queries,
  accountId: string,
  name: SectionName,
  { after, limit }: { after?: readonly string[] | undefined; limit: number },
): Promise<ExportedPage> {
  const { members, from, where, key }: Section = accountSections[name]
  const values = new Values(accountId)
  const columns = key.map(([column]) => `t."${column}"`)
  const places = after?.map((place, index) => `${values.of(place)}::text::${plainType(key[index]![1])}`)
  const { rows } = await at.query<{ item: string; place: string[] }>(
    `select json_build_object(${Object.entries(members)
      .map(([member, value]) => `'${member}', ${value}`)
      .join(', ')})::text as item, array[${columns.map((column) => `${column}::text`).join(', ')}] as place
     from ${from} where ${where} ${places === undefined ? '' : `and (${columns.join(', ')}) > (${places.join(', ')})`}
     order by ${columns.join(', ')} limit ${values.of(limit)}`,
    values.given,
  )
  return {
    items: rows.map(({ item }) => item),
    next: rows.length < limit ? undefined : rows.at(-1)!.place,
  }
}

/** A type without a collation, which a cast cannot name. */
const plainType = (type: string): string => type.replace(/ COLLATE .*/, '')
