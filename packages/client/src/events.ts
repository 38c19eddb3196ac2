/** Events of a registry: one page, or without end. http-api §12. */
import type { EventPage, RegistryEvent } from '@ulmus/wire'
import { requestOf } from './calls.ts'
import type { Transport } from './transport.ts'

/** Filters of events: all given conditions must match. */
export interface EventFilters {
  /** `owner/slug` */
  readonly collection?: string
  /** Slug of the owner. */
  readonly owner?: string
  readonly kind?: RegistryEvent['kind']
}

export interface EventsOptions extends EventFilters {
  /** Only events after this number. `latest`: from now on. Default: all that are kept. */
  readonly after?: number | 'latest'
  readonly signal?: AbortSignal
}

/** Seconds that a request of `follow` waits. */
const waitSeconds = 30

export const eventCalls = (transport: Transport) => {
  const page = async ({ signal, ...query }: EventsOptions & { wait?: number }): Promise<EventPage> =>
    (await transport.json<EventPage>(requestOf('GET /api/events', {}, { query, signal }))).body
  return {
    /** Lists up to 100 events, the oldest first. `wait`: seconds, at most 30. @throws UlmusError `events_gone` after a long pause */
    list: (options: EventsOptions & { wait?: number } = {}): Promise<EventPage> => page(options),
    /**
     * Yields events without end, each once and in order, soon after they happen; keep `seq` to go on after a restart. Waits through
     * failures of the network as other reads do.
     * @throws UlmusError `events_gone` after a long pause; the reason of `signal`
     */
    async *follow(options: EventsOptions = {}): AsyncGenerator<RegistryEvent, never, undefined> {
      let after = options.after
      for (;;) {
        const { events, next } = await page({
          ...options,
          wait: waitSeconds,
          ...(after !== undefined && { after }),
        })
        yield* events
        after = next
      }
    },
  }
}
