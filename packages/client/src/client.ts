/** The client: one function that makes it, one member a noun. */
import { accountCalls, keyCalls, orgCalls } from './accounts.ts'
import { collectionCalls, versionCalls } from './collections.ts'
import type { DryRunResult, PushResult } from './commit.ts'
import { fileCalls } from './files.ts'
import { metadataCalls } from './metadata.ts'
import { type Mirror, mirror } from './mirror.ts'
import { operatorCalls } from './operators.ts'
import type { CollectionRef } from './places.ts'
import { dryRunOfPush, type Push, type PushOptions, push } from './push.ts'
import { pushSessionCalls } from './push-sessions.ts'
import { recordCalls } from './records.ts'
import { dryRunOfSnapshot, type Snapshot, type SnapshotOptions, snapshot } from './snapshot.ts'
import { type ClientOptions, openTransport, type Transport } from './transport.ts'

/** Calls that publish changes, and the reads that they need. */
const pushCalls = (transport: Transport) => ({
  versions: versionCalls(transport),
  records: recordCalls(transport),
  /** Publishes a version of a collection from what changed. */
  push: (ref: CollectionRef, what: Push, pushOptions?: PushOptions): Promise<PushResult> =>
    push(transport, ref, what, pushOptions),
  /** Show what the call of the same name would publish, or its refusal. Sends all the data, and publishes nothing. */
  dryRun: {
    push: (ref: CollectionRef, what: Push, pushOptions?: PushOptions): Promise<DryRunResult> =>
      dryRunOfPush(transport, ref, what, pushOptions),
  },
})

/**
 * The part of a client that pushes changes and reads versions and records: less for a browser to load.
 *
 * @throws TypeError as `createClient` does
 */
export function createPushClient(options: ClientOptions) {
  return pushCalls(openTransport(options))
}

export type PushClient = ReturnType<typeof createPushClient>

/**
 * A typed client of a registry's HTTP API, for Node and browsers. It holds no connection: there is nothing to close.
 *
 * Every call rejects with `UlmusError`. Reads, uploads and the steps of a push are retried while the network or the server is
 * down (`options.retry`), other writes only if the server has not processed them (429).
 *
 * @throws TypeError when `baseUrl` is missing or no address, or `apiKey` is none
 * @example
 * const client = createClient({ baseUrl: 'http://127.0.0.1:4000', apiKey: 'ul_…' })
 * await client.push('ada/cities', { baseVersion: null, schemas: { City: {} }, records: [{ id: '1', type: 'City', data: {} }] })
 * for await (const city of client.records.ndjson('ada/cities')) console.log(city.id)
 */
export function createClient(options: ClientOptions) {
  const transport = openTransport(options)
  const calls = pushCalls(transport)
  return {
    ...calls,
    accounts: accountCalls(transport),
    orgs: orgCalls(transport),
    keys: keyCalls(transport),
    collections: collectionCalls(transport),
    files: fileCalls(transport),
    metadata: metadataCalls(transport),
    pushSessions: pushSessionCalls(transport),
    operators: operatorCalls(transport),
    /** Publishes a version of a collection from everything that it is to hold. */
    snapshot: (ref: CollectionRef, what: Snapshot, snapshotOptions?: SnapshotOptions): Promise<PushResult> =>
      snapshot(transport, ref, what, snapshotOptions),
    /**
     * Makes a type of a collection equal to some rows, and leaves the rest of it as it is. Resolves to null when nothing changed, which
     * takes one small request to find out.
     */
    mirror: <Row extends object>(
      ref: CollectionRef,
      what: Mirror<Row>,
      pushOptions?: PushOptions,
    ): Promise<PushResult | null> => mirror(transport, ref, what, pushOptions),
    dryRun: {
      ...calls.dryRun,
      /** Shows what a snapshot would publish, or be refused for. Sends all of it, and publishes nothing. */
      snapshot: (
        ref: CollectionRef,
        what: Snapshot,
        snapshotOptions?: SnapshotOptions,
      ): Promise<DryRunResult> => dryRunOfSnapshot(transport, ref, what, snapshotOptions),
    },
  }
}

export type Client = ReturnType<typeof createClient>
