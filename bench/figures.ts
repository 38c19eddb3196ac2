/** Measured figures by topic, subject, database and size. */
import type { Sample } from './measure.ts'

export type DatabaseKind = 'embedded' | 'server'
/** `raw`: the limit of the machine, Node or the database. */
export type Contender = 'ulmus' | 'tables' | 'git' | 'raw'
export type Unit = 'ms' | 'bytes' | 'MiB' | 'records/s' | 'requests/s' | 'MB/s' | 'B/record' | 'times'

export interface Figure extends Sample {
  /** Such as `metadata update`. */
  readonly quantity: string
  readonly by: Contender
  /** Null if no database is involved, or only one is possible. */
  readonly database: DatabaseKind | null
  /** Records. */
  readonly size: number
  readonly unit: Unit
}

export interface Place {
  readonly by?: Contender
  readonly database?: DatabaseKind | null
  readonly size: number
}

export class Figures {
  readonly all: Figure[] = []
  readonly #tell: (figure: Figure) => void

  /** @param tell called with each new figure */
  constructor(tell: (figure: Figure) => void = () => undefined) {
    this.#tell = tell
  }

  /** @param sample a single number counts as one run */
  add(quantity: string, unit: Unit, place: Place, sample: Sample | number): void {
    const values =
      typeof sample === 'number'
        ? { median: sample, low: sample, high: sample, p99: sample, runs: 1 }
        : sample
    const { by = 'ulmus', database = null, size } = place
    const figure = { quantity, by, database, size, unit, ...values }
    this.all.push(figure)
    this.#tell(figure)
  }

  /** The latest matching figure. */
  find(quantity: string, place: Place): Figure | undefined {
    const { by = 'ulmus', database = null, size } = place
    return this.all.findLast(
      (figure) =>
        figure.quantity === quantity &&
        figure.by === by &&
        figure.database === database &&
        figure.size === size,
    )
  }
}

/** Formats a value with its unit, rounded for reading. */
export function valueText(value: number, unit: Unit): string {
  if (unit === 'ms') return value >= 10_000 ? `${short(value / 1000)} s` : `${short(value)} ms`
  if (unit === 'times') return `${short(value)} ×`
  if (unit !== 'bytes') return `${short(value)} ${unit}`
  if (value < 10_000) return `${Math.round(value)} B`
  return value < 1e6 ? `${short(value / 1e3)} kB` : `${short(value / 1e6)} MB`
}

function short(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString('en')
  return String(Number(value.toPrecision(value >= 10 ? 3 : 2)))
}
