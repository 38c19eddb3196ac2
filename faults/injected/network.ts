/** The network between servers and stores: refused, reset, silent, forgetful, slow. */
import type { NetworkState } from '../proxy.ts'
import type { Line } from '../stage.ts'
import { type Expectation, type Fault, type FaultContext, onEach, rowsAlone } from './fault.ts'

/** Of each piece of up to 64 KiB, each way. */
const delayMilliseconds = [20, 200] as const
/** A connection on which nothing happens is given up after 20 s at the latest, and what waits for a new one 5 s later. docs/operations.md */
const silenceNoticedMilliseconds = 26_000
const cutNoticedMilliseconds = 6_000

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

function broken(store: Line['store'], kind: string, weight: number, state: NetworkState['kind']): Fault {
  return {
    kind: `${kind} to the ${store}`,
    weight,
    isPossible: (stage) => stage.lines.some((line) => line.store === store),
    prepare(context) {
      const { random, lastsMax } = context
      const lines = linesOf(context, store)
      const isSilent = state === 'hang'
      const forgetting = isSilent && random.chance(0.5)
      const milliseconds = random.between(...delayMilliseconds)
      const next: NetworkState = state === 'delay' ? { kind: state, milliseconds } : { kind: state }
      const servers = lines.map(({ server }) => server.name).join(' and ')
      return {
        what: `of ${servers}${forgetting ? ', which forgets connections' : ''}${state === 'delay' ? ` by ${milliseconds} ms` : ''}`,
        lasts: random.between(500, lastsMax),
        noticed: isSilent ? silenceNoticedMilliseconds : cutNoticedMilliseconds,
        meanwhile:
          state === 'delay'
            ? onEach(
                lines.map(({ server }) => server),
                rowsAlone,
                [200],
              )
            : withoutStore(store, lines),
        begin: async () =>
          void (await Promise.all(lines.map(({ proxy }) => proxy.become(next, { forgetting })))),
        end: async () => void (await Promise.all(lines.map(({ proxy }) => proxy.become({ kind: 'pass' })))),
      }
    },
  }
}

export const network: readonly Fault[] = (['database', 'objects'] as const).flatMap((store) => [
  broken(store, 'no way', 3, 'refuse'),
  broken(store, 'resets on the way', 2, 'reset'),
  broken(store, 'silence on the way', 4, 'hang'),
  broken(store, 'a slow way', 2, 'delay'),
])
