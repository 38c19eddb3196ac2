/** Servers that use the database at the same time, by their heartbeats (sql/upkeep/servers.ts), as a migration finds them. */
import type pg from 'pg'
import { DatabaseUnfitError } from './sql-errors.ts'

/** A server without a heartbeat for this long has ended: two missed ones and some tolerance. Seconds. */
export const silentSecondsMax = 40

/**
 * A server of another release would go on writing to tables that it does not know.
 * @throws DatabaseUnfitError if one is alive
 */
export async function demandAlone(client: pg.ClientBase, release: string): Promise<void> {
  // Before the first migration there is no such table.
  const { rows: found } = await client.query<{ found: boolean }>(
    `select to_regclass('public.servers') is not null as found`,
  )
  if (found[0]?.found !== true) return
  const { rows } = await client.query<{ host: string; release: string; seconds: number }>(
    `select host, release, extract(epoch from now() - seen_at)::integer as seconds from servers
     where not ended and seen_at > now() - make_interval(secs => $1::double precision) order by seen_at desc`,
    [silentSecondsMax],
  )
  const [server] = rows
  if (server === undefined) return
  const more = rows.length - 1
  const [uses, stop, ends] =
    more === 0
      ? ['uses it', 'stop it', 'makes it end']
      : [`and ${more} more use it`, 'stop all of them', 'makes them end']
  throw new DatabaseUnfitError(
    `The release ${release} would migrate the database while the server on ${server.host} (release ${server.release}, seen ${server.seconds} s ago) ${uses}: ${stop}, wait ${silentSecondsMax - server.seconds} s if one was killed, or migrate nevertheless by \`ulmus-server start --force\`, which ${ends}. Nothing was changed.`,
  )
}
