/** Failovers of PostgreSQL, and restarts of the S3 gateway. */
import type { Random } from '../random.ts'
import type { Stage } from '../stage.ts'
import { type Fault, onEach } from './fault.ts'

const none = () => Promise.resolve()
/** Time that the gateway is away. Milliseconds. */
const gateway = [500, 4_000] as const

interface Strike {
  readonly kind: string
  readonly weight: number
  readonly part: 'primary' | 'standby'
  readonly signal: 'SIGKILL' | 'SIGSTOP'
}

/** Lasts until a write is acknowledged without the node. Then the node returns and becomes the standby. */
function strike({ kind, weight, part, signal }: Strike): Fault {
  return {
    kind,
    weight,
    isPossible: ({ cluster }) => cluster !== undefined,
    prepare({ stage, random }) {
      const alsoGateway = stage.gateway !== undefined && random.chance(0.3)
      const away = random.between(...gateway)
      let restarted = none()
      let endStrike = none
      return {
        what: `until a write is acknowledged${alsoGateway ? ', and the S3 gateway restarts' : ''}`,
        lasts: random.between(0, 5_000),
        untilWritten: true,
        meanwhile: onEach(stage.servers, ['/healthz'], [200]),
        async begin() {
          endStrike = await stage.cluster!.strike(part, signal)
          if (alsoGateway) restarted = stage.gateway!.restart(away)
        },
        end: async () => void (await Promise.all([endStrike(), restarted])),
      }
    },
  }
}

const switchover: Fault = {
  kind: 'switchover to the standby',
  weight: 6,
  isPossible: ({ cluster }) => cluster !== undefined,
  prepare: ({ stage }) => ({
    what: 'as for maintenance',
    lasts: 0,
    // It resolves when the standby has become the primary.
    begin: () => stage.cluster!.switchOver(),
    end: () => stage.cluster!.settled(),
  }),
}

const restartGateway: Fault = {
  kind: 'kill -9 of the S3 gateway',
  weight: 5,
  isPossible: ({ gateway }) => gateway !== undefined,
  prepare({ stage, random }: { stage: Stage; random: Random }) {
    const away = random.between(...gateway)
    let restarted = none()
    return {
      what: `for ${(away / 1_000).toFixed(1)} s`,
      lasts: away,
      begin: async () => {
        restarted = stage.gateway!.restart(away)
      },
      end: () => restarted,
    }
  },
}

export const failover: readonly Fault[] = [
  strike({ kind: 'kill -9 of the primary', weight: 20, part: 'primary', signal: 'SIGKILL' }),
  strike({ kind: 'the primary stands still (SIGSTOP)', weight: 10, part: 'primary', signal: 'SIGSTOP' }),
  strike({ kind: 'kill -9 of the standby', weight: 8, part: 'standby', signal: 'SIGKILL' }),
  switchover,
  restartGateway,
]
