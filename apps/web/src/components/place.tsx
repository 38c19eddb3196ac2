/** Drawings of places: a dot on an outline of the world, or a geometry in its own bounding box. They load nothing. */
import { type Outline, type Place, type Position, placesOf } from '../data/places.ts'
import { worldPath } from '../data/world.ts'
import { countText } from '../format.ts'
import { Name } from './small.tsx'

/** Longer names of members are cut. Characters. */
const nameMax = 60
/** Longer side of the drawing of a geometry, and the space around it. Pixels. */
const size = 300
const margin = 4

/** Drawings of the places in a record. */
export function Places({ data }: { data: unknown }) {
  const places = placesOf(data)
  if (places.length === 0) return null
  return (
    <div class="places">
      {places.map(({ name, place }) => (
        <figure key={name ?? ''}>
          {place.kind === 'dot' ? <World at={place.position} /> : <Drawing of={place} />}
          <figcaption>
            {name !== undefined && (
              <>
                <Name of={name} most={nameMax} />:{' '}
              </>
            )}
            {wordsOf(place)}
          </figcaption>
        </figure>
      ))}
    </div>
  )
}

const World = ({ at }: { at: Position }) => (
  <svg role="img" aria-label={`Map of the world, ${positionText(at)}`} viewBox="0 0 360 180">
    <path class="land" d={worldPath} />
    <circle cx={rounded(at[0] + 180)} cy={rounded(90 - at[1])} r="3" />
  </svg>
)

/** Equirectangular about the middle latitude, which keeps the shape of small areas. */
function Drawing({ of }: { of: Outline }) {
  const { west, south, east, north } = boxOf(of)
  const narrowing = Math.cos(((south + north) / 2) * (Math.PI / 180))
  const [width, height] = [(east - west) * narrowing, north - south]
  const scale = size / (Math.max(width, height) || 1)
  const x = (longitude: number) => rounded((longitude - west) * narrowing * scale + margin)
  const y = (latitude: number) => rounded((north - latitude) * scale + margin)
  const whole = [width, height].map((length) => Math.ceil(length * scale + 2 * margin))
  const path = of.parts.map((part) => {
    const points = part.map(([longitude, latitude]) => `${x(longitude)},${y(latitude)}`)
    return of.shape === 'dots'
      ? `M${points.join('h0M')}h0`
      : `M${points.join('L')}${of.shape === 'area' ? 'Z' : ''}`
  })
  return (
    <svg role="img" aria-label={`Outline of the ${of.type}`} viewBox={`0 0 ${whole.join(' ')}`}>
      <path class={of.shape} d={path.join('')} />
    </svg>
  )
}

function boxOf({ parts }: Outline) {
  const longitudes = parts.flatMap((part) => part.map(([longitude]) => longitude))
  const latitudes = parts.flatMap((part) => part.map(([, latitude]) => latitude))
  return {
    ...{ west: Math.min(...longitudes), east: Math.max(...longitudes) },
    ...{ south: Math.min(...latitudes), north: Math.max(...latitudes) },
  }
}

function wordsOf(place: Place): string {
  if (place.kind === 'dot') return positionText(place.position)
  const { west, south, east, north } = boxOf(place)
  const corners = `${positionText([west, south])} to ${positionText([east, north])}`
  return `${place.type} of ${countText(place.count)} positions, ${corners}`
}

/** `59.91273° N, 10.74609° E` */
const positionText = ([longitude, latitude]: Position): string =>
  `${degrees(latitude, 'N', 'S')}, ${degrees(longitude, 'E', 'W')}`

const degrees = (value: number, positive: string, negative: string): string =>
  `${Number(Math.abs(value).toFixed(5))}° ${value < 0 ? negative : positive}`

const rounded = (value: number): number => Math.round(value * 10) / 10
