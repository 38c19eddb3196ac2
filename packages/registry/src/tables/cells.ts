/** Values of table files as answers have them. */
import { type FoundColumn, isCutValue, type Json, parseJson, type TableColumn } from '@ulmus/content'

/**
 * @param cell as the engine returns it: integers and times are texts, long texts are cut
 * @returns numbers as in the record, instants as `2026-01-31T12:00:00.000Z`, parsed JSON; the beginning of JSON as a text
 */
export function cellValue(column: Pick<TableColumn, 'type' | 'items' | 'members'>, cell: unknown): Json {
  if (cell === null || cell === undefined) return null
  switch (column.type) {
    case 'integer':
      return Number(cell)
    case 'date-time':
      return instantOf(String(cell))
    case 'json':
      return isCutValue(cell) ? String(cell) : (parseJson(String(cell)) as Json)
    case 'list':
      return (cell as unknown[]).map((item) => cellValue({ type: column.items! }, item))
    case 'object': {
      const value = cell as Record<string, unknown>
      return Object.fromEntries(
        column.members!.map((member): [string, Json] => [member.name, cellValue(member, value[member.name])]),
      )
    }
    default:
      return cell as Json
  }
}

/** `2026-01-31 12:00:00.123456+00`, with the digits that it has. */
const instantOf = (text: string): string => `${text.replace(' ', 'T').replace(/\+00$/, '')}Z`

/** A count of the engine. */
export const countOf = (cell: unknown): number => Number(cell)

/** `name.common` of a found column. */
export const fieldOf = ({ names }: FoundColumn): string => names.join('.')
