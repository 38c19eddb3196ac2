/** The signed log: its keys, statements and proofs. http-api §15, docs/verifying.md. */
import type { LogFacts, LogStatement, VersionInLog } from '@ulmus/wire'
import { call, requestOf } from './calls.ts'
import { type CollectionRef, partsOf } from './places.ts'
import type { Transport } from './transport.ts'

/** Maximum of a file of the log: 1 MiB. Tiles and bundles are far smaller, a checkpoint is not longer. */
const fileBytesMax = 1_048_576

export const versionLogCalls = (transport: Transport) => ({
  /** Name, size and keys. @throws log_unavailable */
  get: (): Promise<LogFacts> => call(transport, 'GET /api/log', {}),
  /** The statement that made a version, with its proof. @throws not_logged, log_behind, log_unavailable */
  ofVersion: (collection: CollectionRef, version: string): Promise<VersionInLog> =>
    call(transport, 'GET /api/collections/:owner/:slug/versions/:v/log', {
      ...partsOf(collection),
      v: version,
    }),
  /** Up to 100 statements about a collection after a number, in order. @throws log_unavailable */
  statements: async (collection: CollectionRef, after = 0): Promise<LogStatement[]> =>
    (
      await transport.json<LogStatement[]>(
        requestOf('GET /api/collections/:owner/:slug/log', partsOf(collection), { query: { after } }),
      )
    ).body,
  /** A file of the log, as `checkpoint` or `tile/0/000` (C2SP tlog-tiles). @throws UlmusError `route_not_found` */
  file: async (path: string): Promise<Uint8Array> =>
    (await transport.bytes({ method: 'GET', path: `/log/${path}` }, fileBytesMax)).body,
})
