/** Draws the shapes of a GeoJSON file on the outlines of the world, each with its name for pointers. */
import { counted, countText, cutText, withoutUnseen } from '../../format.ts'
import { MapFigure } from './drawing.tsx'
import type { DrawnShape, ShapePlan } from './shape-plan.ts'

/** Longer names are cut. Characters. */
const nameMax = 60
/** Bytes of all names; further shapes have none. */
const namesBytesMax = 60_000

const kinds = ['area', 'line', 'points'] as const

/** Small ones above large ones, which would cover them: points above lines above areas. */
export function ShapeMap({ plan }: { plan: ShapePlan }) {
  let room = namesBytesMax
  const nameOf = ({ name = '' }: DrawnShape) => {
    const text = withoutUnseen(cutText(name, nameMax))
    room -= Buffer.byteLength(text)
    return room < 0 ? '' : text
  }
  const { all, drawn } = plan.positions
  const caption = `${counted(plan.drawn, plan.noun)}${drawn < all ? `, drawn with ${countText(drawn)} of ${countText(all)} positions: the others are too close to these to be seen here` : ''}`
  return (
    <MapFigure frame={plan.frame} caption={caption} counts={plan}>
      {kinds.map((kind) => (
        <g key={kind} class={`shapes ${kind}`}>
          {plan.shapes
            .filter((shape) => shape.kind === kind)
            .map((shape, n) => {
              const name = nameOf(shape)
              return (
                <g key={n}>
                  {name !== '' && <title>{name}</title>}
                  <path d={shape.path} class={shape.sides === undefined ? undefined : 'cut'} />
                  {shape.sides !== undefined && <path class="sides" d={shape.sides} />}
                </g>
              )
            })}
        </g>
      ))}
    </MapFigure>
  )
}
