/** The records that match as a map, with the form that changes its coordinates. Works without JavaScript. */
import type { Hexagon } from '@ulmus/registry'
import { PlaceMap } from '../../../components/map/drawing.tsx'
import { MapNumbers } from '../../../components/map/numbers.tsx'
import { cutName, withoutUnseen } from '../../../format.ts'
import { versionPath } from '../../../paths.ts'
import {
  fieldLabel,
  fieldText,
  filtersBeside,
  filterText,
  keptFields,
  pathTo,
  type RecordsAddress,
} from '../../../record-table/address.ts'
import type { CoordinatesChoice, MapView } from './map-plan.ts'
import { BuildingNote, HiddenFields } from './question.tsx'

/** Longer names of columns are cut. Characters. */
const nameMax = 60
/** Parts of a degree to which the filters of a hexagon are rounded: 10 m. */
const zoomParts = 10_000

interface Props extends MapView {
  readonly address: RecordsAddress
}

export function MapOfRecords({ address, chosen, choices, plan }: Props) {
  return (
    <div class="records-page">
      {choices.length > 1 && <MapForm {...{ address, chosen, choices }} />}
      {'building' in plan ? (
        <BuildingNote building={plan.building} />
      ) : 'reason' in plan ? (
        <p class="note no-chart">No map: {plan.reason}</p>
      ) : (
        <>
          <PlaceMap plan={plan} />
          <MapNumbers plan={plan} zoom={zoomOf(address, chosen, choices, plan.isSwapped)} />
        </>
      )}
    </div>
  )
}

const MapForm = ({ address, chosen, choices }: Omit<Props, 'plan'>) => (
  <form class="form inline chart-form" action={versionPath(address.seen, 'records', address.type)}>
    <label>
      <span>Coordinates</span>
      <select name="coordinates">
        {chosen !== undefined && !choices.some(({ text }) => text === chosen) && (
          <option value={chosen} selected>
            {withoutUnseen(cutName(chosen, nameMax))}
          </option>
        )}
        {choices.map(({ text, coordinates }) => (
          <option key={text} value={text} selected={text === chosen}>
            {withoutUnseen(
              coordinates.columns.map((column) => cutName(fieldLabel(column), nameMax)).join(', '),
            )}
          </option>
        ))}
      </select>
    </label>
    <HiddenFields of={keptFields({ ...address, map: undefined }, ['q', 'filter', 'sort', 'columns'])} />
    <input type="hidden" name="view" value="map" />
    <button type="submit">Draw</button>
  </form>
)

/** Links from a hexagon to the map of its records: filters of both columns. Undefined: the coordinates are in one column. */
function zoomOf(
  address: RecordsAddress,
  chosen: string | undefined,
  choices: readonly CoordinatesChoice[],
  isSwapped: boolean,
): ((hexagon: Hexagon) => string | undefined) | undefined {
  const found = choices.find(({ text }) => text === chosen)?.coordinates
  if (found?.kind !== 'pair') return undefined
  const names = found.columns.map((column) => fieldText(column.names, address.columns))
  const [latitude, longitude] = (isSwapped ? names.toReversed() : names) as [string, string]
  const others = filtersBeside(address, names)
  const within = (field: string, least: number, most: number) => [
    filterText(field, 'ge', String(Math.floor(least * zoomParts) / zoomParts)),
    filterText(field, 'le', String(Math.ceil(most * zoomParts) / zoomParts)),
  ]
  return ({ bounds: [west, east, south, north] }) => {
    // Across 180°, one condition cannot have both sides.
    if (east! - west! > 180) return undefined
    const filter = [...within(latitude, south!, north!), ...within(longitude, west!, east!)]
    return pathTo(address, { filter: [...others, ...filter] })
  }
}
