/** Network faults between servers and stores: refused, reset, silent, forgotten and slow connections. */
import type { NetworkState } from '@ulmus/storage/testing/tcp-proxy'
import type { Line } from '../stage.ts'
import { type Expectation, type Fault, type FaultContext, onEach, rowsAlone } from './fault.ts'

/** Delay of each piece of up to 64 KiB, in each direction. */
const delayMilliseconds = [20, 200] as const
/** A silent connection is closed after at most 20 s, and requests that wait for a new one fail 5 s later. docs/going-live.md */
const silenceNoticedMilliseconds = 26_000
const cutNoticedMilliseconds = 6_000
/** Time without any traffic until new connections work again. Open connections never do. */
const forgottenMillisecondsMax = 3_000

/** Connections of one server to a store, or of all servers. */
function linesOf({ stage, random }: FaultContext, store: Line['store']): readonly Line[] {
  const lines = stage.lines.filter((line) => line.store === store)
  return random.chance(0.5) ? lines : [random.pick(lines)]
}

/** Without a database every request that needs it gets 503. Without an object store, data in rows stays readable. */
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
  /** Connections that are open at the beginning stay silent for ever. */
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
