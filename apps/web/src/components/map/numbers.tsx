/** The numbers of a map as a table, for keyboards and screen readers too. */
import type { ComponentChildren } from 'preact'
import { counted, countText, cutText, withoutUnseen } from '../../format.ts'
import { DataTable } from '../data-table.tsx'
import { frameOf } from './frame.ts'
import { type MapDot, type MapPlan, placeText } from './plan.ts'

/** Rows of the table: dots in their order, the fullest hexagons. */
const rowsMax = { dots: 200, hexagons: 100 }
/** Longer titles are cut. Characters. */
const titleMax = 60
/** Decimals of degrees: a dot is a place within a metre. */
const dotDigits = 5

interface Props {
  readonly plan: MapPlan
  /** A link to the records of a hexagon, by its number. Default: none. */
  readonly zoom?: ((hexagon: MapPlan['hexagons'][number]) => string | undefined) | undefined
}

export function MapNumbers({ plan, zoom }: Props) {
  const { dots, hexagons, noun } = plan
  const isCounted = hexagons.length > 0
  const [all, most] = isCounted ? [hexagons.length, rowsMax.hexagons] : [dots.length, rowsMax.dots]
  return (
    <details class="numbers">
      <summary>
        {all > most && `The ${isCounted ? 'fullest' : 'first'} ${most} of `}
        {counted(all, isCounted ? 'hexagon' : 'place')}
      </summary>
      {isCounted ? (
        <HexagonTable {...{ plan, zoom }} />
      ) : (
        <DataTable
          class="data"
          label="Places of the map"
          items={dots.slice(0, most)}
          keyOf={(_, index) => index}
          columns={[
            { header: noun === 'row' ? 'Row' : 'Record', cell: (dot) => <DotName dot={dot} /> },
            { header: 'Latitude', isNumber: true, cell: ({ latitude }) => degrees(latitude) },
            { header: 'Longitude', isNumber: true, cell: ({ longitude }) => degrees(longitude) },
          ]}
        />
      )}
    </details>
  )
}

const degrees = (value: number): number => Number(value.toFixed(dotDigits))

function DotName({ dot: { title, href } }: { dot: MapDot }): ComponentChildren {
  const name = <bdi>{withoutUnseen(cutText(title, titleMax)) || '–'}</bdi>
  return href === undefined ? name : <a href={href}>{name}</a>
}

function HexagonTable({ plan, zoom }: Props) {
  const { projection, scale, at } = frameOf(plan)
  const centreOf = ({ x, y }: MapPlan['hexagons'][number]) =>
    projection.invert!(at(x, y) as [number, number]) ?? [0, 0]
  // A degree has some 100 km.
  const digits = Math.max(0, Math.min(4, Math.ceil(Math.log10(scale / 2_000)) + 1))
  return (
    <DataTable
      class="data"
      label="Numbers of the map"
      items={plan.hexagons.slice(0, rowsMax.hexagons)}
      keyOf={(_, index) => index}
      columns={[
        {
          header: 'Around',
          cell: (hexagon) => {
            const [longitude, latitude] = centreOf(hexagon)
            const [text, href] = [placeText(latitude, longitude, digits), zoom?.(hexagon)]
            return href === undefined ? (
              text
            ) : (
              <a href={href} rel="nofollow">
                {text}
              </a>
            )
          },
        },
        { header: `${plan.noun}s`, isNumber: true, cell: ({ count }) => countText(count) },
      ]}
    />
  )
}
