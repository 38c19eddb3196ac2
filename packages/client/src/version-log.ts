/** The signed log: its keys, statements and proofs. http-api §15, docs/verifying.md. */
import type { LogFacts, LogStatement, VersionInLog } from '@ulmus/wire'
import { requestOf } from './calls.ts'
import { type CollectionRef, partsOf, versionParts } from './places.ts'
import type { Transport } from './transport.ts'

/** Maximum of an answer about the log, decompressed: 1 MiB. Tiles, proofs and pages of statements are smaller, a checkpoint is not longer. */
const bytesMax = 1_048_576

export const versionLogCalls = (transport: Transport) => ({
  /** Name, size and keys. @throws log_unavailable */
  get: async (): Promise<LogFacts> =>
    (await transport.json<LogFacts>(requestOf('GET /api/log', {}), bytesMax)).body,
  /** The statement that made a version, with its proof. @throws not_logged, log_behind, log_unavailable */
  ofVersion: async (collection: CollectionRef, version: string): Promise<VersionInLog> => {
    const name = 'GET /api/collections/:owner/:slug/versions/:v/log'
    return (await transport.json<VersionInLog>(requestOf(name, versionParts(collection, version)), bytesMax))
      .body
  },
  /** Up to 100 statements about a collection after a number, in order. @throws log_unavailable */
  statements: async (collection: CollectionRef, after = 0): Promise<LogStatement[]> => {
    const name = 'GET /api/collections/:owner/:slug/log'
    return (
      await transport.json<LogStatement[]>(
        requestOf(name, partsOf(collection), { query: { after } }),
        bytesMax,
      )
    ).body
  },
  /** A file of the log, as `checkpoint` or `tile/0/000` (C2SP tlog-tiles). @throws UlmusError `route_not_found` */
  file: async (path: string): Promise<Uint8Array> =>
    (await transport.bytes({ method: 'GET', path: `/log/${path}` }, bytesMax)).body,
})
