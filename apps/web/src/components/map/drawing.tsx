/** Draws the plan of a map as SVG, scaled to the width of the page. Screen readers and keyboards have the table of its numbers. */
import type { ComponentChildren } from 'preact'
import { counted, countText, cutText, withoutUnseen } from '../../format.ts'
import { SavePicture } from '../save-picture.tsx'
import { type Frame, frameOf, frameWidth } from './frame.ts'
import { outlinesIn } from './land.ts'
import { type CountClass, classesOf, type DrawnCounts, type MapPlan, notesOf } from './plan.ts'

/** Longer titles are cut. Characters. */
const titleMax = 60
/** Bytes of the titles and links of all dots; further dots have neither. */
const linksMax = 300_000
/** Mean radius of the Earth. Kilometres. */
const earthRadius = 6_371
/** Longest scale as a share of the width, and the frames that have one: others show too much of the globe. Radii of the globe. */
const scaleMost = 0.25
const scaledWidth = 1.2

interface MapFigureProps {
  readonly frame: Frame
  readonly caption: string
  readonly counts: DrawnCounts
  /** Above the scale. Default: nothing. */
  readonly legend?: ComponentChildren
  readonly children: ComponentChildren
}

/** Outlines of the world in a frame, with what a map draws on them. */
export function MapFigure({ frame, caption, counts, legend, children }: MapFigureProps) {
  const { sea, lines, land, borders } = outlinesIn(frame)
  return (
    <figure class="map">
      <figcaption>
        {caption}.{' '}
        {notesOf(counts).map((note) => (
          <span key={note} class="quiet">
            {note}{' '}
          </span>
        ))}
      </figcaption>
      <svg viewBox={`0 0 ${frameWidth} ${frame.height}`} aria-hidden="true">
        <path class="sea" d={sea} />
        <path id="map-land" class="land" d={land} />
        <path class="borders" d={borders} />
        <path class="lines" d={lines} />
        {children}
      </svg>
      <div class="map-foot">
        {legend}
        <Scale frame={frame} />
      </div>
      <SavePicture />
    </figure>
  )
}

export function PlaceMap({ plan }: { plan: MapPlan }) {
  const frame = frameOf(plan)
  const classes = classesOf(plan.hexagons.map(({ count }) => count))
  const areCounted = plan.hexagons.length > 0
  return (
    <MapFigure
      frame={frame}
      caption={`${counted(plan.drawn, plan.noun)}${areCounted ? ', counted in hexagons of equal area' : ''}`}
      counts={plan}
      legend={areCounted && <Legend classes={classes} noun={plan.noun} />}
    >
      {areCounted ? (
        <>
          <Hexagons {...{ plan, frame, classes }} />
          <use class="coast" href="#map-land" />
        </>
      ) : (
        <Dots plan={plan} frame={frame} />
      )}
    </MapFigure>
  )
}

/** Links for pointers alone: the keyboard would take 2,000 steps through them. */
function Dots({ plan, frame: { projection } }: { plan: MapPlan; frame: Frame }) {
  let room = linksMax
  return (
    <g class="dots">
      {plan.dots.map(({ latitude, longitude, title, href }, n) => {
        const [x, y] = projection([longitude, latitude])!.map(tenths) as [number, number]
        const name = withoutUnseen(cutText(title, titleMax))
        room -= Buffer.byteLength(name) + (href?.length ?? 0)
        const dot = <circle key={n} cx={x} cy={y} />
        if (room < 0) return dot
        const titled = (
          <circle key={n} cx={x} cy={y}>
            {name !== '' && <title>{name}</title>}
          </circle>
        )
        return href === undefined ? (
          titled
        ) : (
          <a key={n} href={href} tabIndex={-1}>
            {titled}
          </a>
        )
      })}
    </g>
  )
}

const tenths = (value: number): number => Math.round(value * 10) / 10

interface HexagonsProps {
  readonly plan: MapPlan
  readonly frame: Frame
  readonly classes: readonly CountClass[]
}

function Hexagons({ plan: { hexagons, size }, frame, classes }: HexagonsProps) {
  const side = size * frame.scale
  const [half, rise] = [tenths((side * Math.sqrt(3)) / 2), tenths(side / 2)]
  const sides = `l${half} ${rise}v${tenths(side)}l-${half} ${rise}-${half}-${rise}v-${tenths(side)}z`
  return (
    <>
      <defs>
        <path id="hexagon" d={`M0-${tenths(side)}${sides}`} />
      </defs>
      {classes.map(({ from, to }, n) => (
        <g key={from} class={`count-${stepOf(n, classes.length)}`}>
          {hexagons
            .filter(({ count }) => count >= from && count <= to)
            .map(({ x, y, count }) => {
              const [cx, cy] = frame.at(x, y).map(Math.round) as [number, number]
              return (
                <use key={`${x} ${y}`} href="#hexagon" x={cx} y={cy}>
                  <title>{countText(count)}</title>
                </use>
              )
            })}
        </g>
      ))}
    </>
  )
}

/** Number of the colour of a class: fewer classes have colours farther apart. */
const stepOf = (n: number, classes: number): number =>
  classes === 1 ? 3 : Math.round((n / (classes - 1)) * 4) + 1

const Legend = ({ classes, noun }: { classes: readonly CountClass[]; noun: MapPlan['noun'] }) => (
  <ul class="legend" aria-label={`Number of ${noun}s in a hexagon`}>
    {classes.map(({ from, to }, n) => (
      <li key={from}>
        <svg class={`count-${stepOf(n, classes.length)}`} aria-hidden="true" width="16" height="16">
          <path d="M8 1l6 3.5v7L8 15l-6-3.5v-7z" />
        </svg>
        {from === to ? countText(from) : `${countText(from)}–${countText(to)}`}
      </li>
    ))}
    <li class="quiet">{noun}s in a hexagon</li>
  </ul>
)

/** A round distance, as long as it is on the map. */
function Scale({ frame: { scale } }: { frame: Frame }) {
  const width = frameWidth / scale
  if (width > scaledWidth) return null
  const most = width * earthRadius * scaleMost
  const power = 10 ** Math.floor(Math.log10(most))
  const distance = [5, 2, 1].map((n) => n * power).find((one) => one <= most)!
  const share = tenths((distance / (width * earthRadius)) * 100)
  return (
    <div class="scale">
      <svg width="100%" height="8" aria-hidden="true">
        <line x1="0" x2={`${share}%`} y1="4" y2="4" />
      </svg>
      <span class="quiet">
        {distance >= 1 ? `${countText(distance)} km` : `${countText(Math.round(distance * 1_000))} m`}
      </span>
    </div>
  )
}
