/** Coordinates of a map of the records, and its plan. */
import { fieldsMax, fieldsOf, type PlainSchema, tellingField } from '@ulmus/content'
import {
  type Building,
  type Coordinates,
  findCoordinates,
  giveWay,
  type Places,
  RegistryError,
} from '@ulmus/registry'
import { frameOf } from '../../../components/map/frame.ts'
import { prepareOutlines } from '../../../components/map/land.ts'
import { demandPlaces, type MapPlan, type NoMap, noCoordinates } from '../../../components/map/plan.ts'
import { versionOf } from '../../../data/collection.ts'
import { titleMembers } from '../../../data/records.ts'
import type { Visit } from '../../../page.ts'
import { recordPath } from '../../../paths.ts'
import { fieldText, fieldTextMax, type MapParts, type RecordsAddress } from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'

/** Coordinates that the form offers. */
export interface CoordinatesChoice {
  /** As the address has them. */
  readonly text: string
  readonly coordinates: Coordinates
}

export interface MapView {
  /** As the address has them; undefined: no column suits. */
  readonly chosen: string | undefined
  readonly choices: readonly CoordinatesChoice[]
  readonly plan: MapPlan | NoMap | Building
}

/** Coordinates in the list of the form. */
const choicesMax = 50

/** Refusals that the page shows in place of the map. */
const refusals: ReadonlySet<string> = new Set([
  'unknown_field',
  'invalid_request',
  'busy',
  'query_too_costly',
])

interface MapColumns {
  readonly all: readonly PageColumn[]
  readonly schema: PlainSchema
}

export async function readMap(
  visit: Visit,
  address: RecordsAddress,
  parts: MapParts,
  { all, schema }: MapColumns,
): Promise<MapView> {
  const { seen, type, query, columns } = address
  const choices = findCoordinates(all.flatMap(({ column }) => column ?? []))
    .slice(0, choicesMax)
    .map((coordinates) => ({
      text: coordinates.columns.map(({ names }) => fieldText(names, columns)).join(','),
      coordinates,
    }))
    .filter(({ text }) => text.length <= fieldTextMax)
  const chosen = parts.coordinates ?? choices[0]?.text
  if (chosen === undefined) return { chosen, choices, plan: noCoordinates }
  const { q, filter } = query
  const ask = { q, filter, coordinates: chosen, title: titleField(all, schema) }
  try {
    const places = await visit.registry.tables.places(seen.who, { ...versionOf(seen), type }, ask)
    if ('building' in places) return { chosen, choices, plan: places }
    await giveWay()
    const plan = demandPlaces(planOf(places, address))
    if (!('reason' in plan)) await prepareOutlines(frameOf(plan))
    return { chosen, choices, plan }
  } catch (error) {
    if (!(error instanceof RegistryError) || !refusals.has(error.code)) throw error
    return { chosen, choices, plan: { reason: error.message } }
  }
}

function planOf({ places, ...rest }: Places, { seen, type }: RecordsAddress): MapPlan {
  const dots = places.map(({ latitude, longitude, id, title }) => ({
    latitude,
    longitude,
    title: title ?? id ?? '',
    href: id === undefined ? undefined : seen.inView(recordPath(seen, type, id)),
  }))
  return { ...rest, dots, noun: 'record' }
}

/** The field whose texts name the records, or a member of it. */
function titleField(all: readonly PageColumn[], schema: PlainSchema): string | undefined {
  const telling = tellingField(fieldsOf(schema, fieldsMax))
  const texts = all.filter(({ names, column }) => names[0] === telling && column?.type === 'text')
  const ranked = texts.toSorted((a, b) => rankOf(a) - rankOf(b))
  return ranked[0]?.text
}

/** The field itself comes first, then its members as titles use them. */
const rankOf = ({ names: [, member, ...deeper] }: PageColumn): number =>
  member === undefined
    ? -1
    : deeper.length === 0 && titleMembers.includes(member)
      ? titleMembers.indexOf(member)
      : titleMembers.length
