/** The network between servers and stores: refused, reset, silent, forgetful, slow. */
import type { NetworkState } from '@ulmus/storage/testing/tcp-proxy'
import type { Line } from '../stage.ts'
import { type Expectation, type Fault, type FaultContext, onEach, rowsAlone } from './fault.ts'

/** Of each piece of up to 64 KiB, each way. */
const delayMilliseconds = [20, 200] as const
/** A connection on which nothing happens is given up after 20 s at the latest, and what waits for a new one 5 s later. docs/going-live.md */
const silenceNoticedMilliseconds = 26_000
const cutNoticedMilliseconds = 6_000
/** How long nothing comes through until new connections do. Those that were open never do again. */
const forgottenMillisecondsMax = 3_000

/** One server's lines to a store, or all of them. */
function linesOf({ stage, random }: FaultContext, store: Line['store']): readonly Line[] {
  const lines = stage.lines.filter((line) => line.store === store)
  return random.chance(0.5) ? lines : [random.pick(lines)]
}

/** Without a database nothing can be said but that; without objects what rows hold can be read. */
function withoutStore(store: Line['store'], lines: readonly Line[]): Expectation[] {
  const servers = lines.map(({ server }) => server)
  const answers = onEach(servers, ['/healthz'], [200])
  return store === 'database'
    ? [...answers, ...onEach(servers, rowsAlone, [503])]
    : [...answers, ...onEach(servers, rowsAlone, [200])]
}

interface Breakage {
  readonly kind: string
  readonly weight: number
  readonly state: NetworkState['kind']
  /** Connections that are open as it begins are never heard of again. */
  readonly forgetting?: true
}

function broken(store: Line['store'], { kind, weight, state, forgetting }: Breakage): Fault {
  return {
    kind: `${kind} the ${store}`,
    weight,
    isPossible: (stage) => stage.lines.some((line) => line.store === store),
    prepare(context) {
      const { random, lastsMax } = context
      const lines = linesOf(context, store)
      const milliseconds = random.between(...delayMilliseconds)
      const next: NetworkState = state === 'delay' ? { kind: state, milliseconds } : { kind: state }
      const servers = lines.map(({ server }) => server)
      const become = (to: NetworkState, options = {}) =>
        Promise.all(lines.map(({ proxy }) => proxy.become(to, options)))
      return {
        what: `of ${servers.map(({ name }) => name).join(' and ')}${state === 'delay' ? `, by ${milliseconds} ms` : ''}`,
        lasts: random.between(500, forgetting ? forgottenMillisecondsMax : lastsMax),
        noticed: state === 'hang' ? silenceNoticedMilliseconds : cutNoticedMilliseconds,
        meanwhile: state === 'delay' ? onEach(servers, rowsAlone, [200]) : withoutStore(store, lines),
        begin: async () => void (await become(next, { forgetting })),
        end: async () => void (await become({ kind: 'pass' })),
      }
    },
  }
}

const breakages: readonly Breakage[] = [
  { kind: 'no way to', weight: 3, state: 'refuse' },
  { kind: 'resets on the way to', weight: 2, state: 'reset' },
  { kind: 'silence on the way to', weight: 3, state: 'hang' },
  { kind: 'forgotten connections to', weight: 3, state: 'hang', forgetting: true },
  { kind: 'a slow way to', weight: 2, state: 'delay' },
]

export const network: readonly Fault[] = (['database', 'objects'] as const).flatMap((store) =>
  breakages.map((breakage) => broken(store, breakage)),
)
