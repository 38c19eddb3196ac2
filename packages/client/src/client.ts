/** Creates clients with one member per noun of the API. `createPushClient` has fewer of them, so that a browser loads less code. */
import { accountCalls, keyCalls, orgCalls } from './accounts.ts'
import { collaboratorCalls } from './collaborators.ts'
import { collectionCalls, versionCalls } from './collections.ts'
import type { DryRunResult, PushResult } from './commit.ts'
import { eventCalls } from './events.ts'
import { fileCalls } from './files.ts'
import { metadataCalls } from './metadata.ts'
import { type Mirror, mirror } from './mirror.ts'
import { operatorCalls } from './operators.ts'
import type { CollectionRef } from './places.ts'
import { publisherCalls } from './publishing.ts'
import { dryRunOfPush, type Push, type PushOptions, push } from './push.ts'
import { pushSessionCalls } from './push-sessions.ts'
import { questionCalls } from './questions.ts'
import { recordCalls } from './records.ts'
import { dryRunOfSnapshot, type Snapshot, type SnapshotOptions, snapshot } from './snapshot.ts'
import { tableCalls } from './tables.ts'
import { type ClientOptions, openTransport, type Transport } from './transport.ts'
import { versionLogCalls } from './version-log.ts'
import { webhookCalls } from './webhooks.ts'

/** Calls that publish changes, and the reads that these need. */
const pushCalls = (transport: Transport) => ({
  versions: versionCalls(transport),
  records: recordCalls(transport),
  /** Publishes a version of a collection from changes. */
  push: (ref: CollectionRef, what: Push, pushOptions?: PushOptions): Promise<PushResult> =>
    push(transport, ref, what, pushOptions),
  /** Shows what the call of the same name would publish, or why it would be refused. Sends all data and publishes nothing. */
  dryRun: {
    push: (ref: CollectionRef, what: Push, pushOptions?: PushOptions): Promise<DryRunResult> =>
      dryRunOfPush(transport, ref, what, pushOptions),
  },
})

/**
 * Creates a client that only pushes changes and reads versions and records: less code for a browser to load.
 *
 * @throws TypeError as `createClient`
 */
export function createPushClient(options: ClientOptions) {
  return pushCalls(openTransport(options))
}

export type PushClient = ReturnType<typeof createPushClient>

/**
 * Creates a typed client of a registry's HTTP API, for Node and browsers. It keeps no connection, so it need not be closed.
 *
 * Every call rejects with `UlmusError`. Reads, uploads and the steps of a push are retried for two minutes while the network or the
 * server is down (`options.retry`), other writes only if the server has not processed them (429, or no connection).
 *
 * @throws TypeError if `baseUrl` is missing or not a URL, or `apiKey` is not a key
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
    collaborators: collaboratorCalls(transport),
    tables: tableCalls(transport),
    questions: questionCalls(transport),
    files: fileCalls(transport),
    events: eventCalls(transport),
    log: versionLogCalls(transport),
    webhooks: webhookCalls(transport),
    metadata: metadataCalls(transport),
    publishers: publisherCalls(transport),
    pushSessions: pushSessionCalls(transport),
    operators: operatorCalls(transport),
    /** Publishes a version of a collection from its complete content. */
    snapshot: (ref: CollectionRef, what: Snapshot, snapshotOptions?: SnapshotOptions): Promise<PushResult> =>
      snapshot(transport, ref, what, snapshotOptions),
    /**
     * Makes the records of a type equal to the given rows and leaves other types unchanged. Resolves to null if nothing changed, which
     * one small request finds out.
     */
    mirror: <Row extends object>(
      ref: CollectionRef,
      what: Mirror<Row>,
      pushOptions?: PushOptions,
    ): Promise<PushResult | null> => mirror(transport, ref, what, pushOptions),
    dryRun: {
      ...calls.dryRun,
      /** Shows what a snapshot would publish, or why it would be refused. Sends all data and publishes nothing. */
      snapshot: (
        ref: CollectionRef,
        what: Snapshot,
        snapshotOptions?: SnapshotOptions,
      ): Promise<DryRunResult> => dryRunOfSnapshot(transport, ref, what, snapshotOptions),
    },
  }
}

export type Client = ReturnType<typeof createClient>
