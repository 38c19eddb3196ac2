/** Refusals of a server that cannot do its work: damage, full or absent stores, faults. */
import { exampleRecord } from '../examples.ts'
import type { Refusal } from './refusal.ts'

export const serverRefusals = {
  object_corrupt: {
    kind: 'corrupt',
    sentence: (f) => {
      if (f.received !== undefined)
        return `Stored data of this push is damaged (${f.received}). Start the push again.`
      const [what, check] =
        f.file === undefined
          ? [`object ${f.hash}`, '`ulmus-server fsck`']
          : [`file ${f.file}`, '`ulmus-server fsck --files`']
      return `Stored ${what} is damaged. The operator must restore it from a backup; ${check} shows details.`
    },
    meaning: 'stored data is damaged',
    explanation:
      'A stored object (`hash`) is damaged and is neither served nor used for new data. Without `hash`, the received data of a push is damaged. If the answer has already begun, its connection closes before the end of the body.',
    remedy:
      'The operator runs `ulmus-server fsck --files`, which lists the damage, and [copies those packs and files from a backup](maintenance.md#the-check). Without a backup, any user with the same content can [push it again](maintenance.md#sweeping-and-checking). If the received lines of a push are damaged, start the push again.',
    members: ({ z }) => ({ hash: z.string().meta({ description: 'hash of the damaged object.' }) }),
    example: { details: { hash: exampleRecord.hash } },
  },
  internal: {
    kind: 'corrupt',
    sentence: 'Internal server error. Report the id in `X-Request-Id`: the log has it.',
    meaning: 'a bug in the server; `X-Request-Id` finds it in the log',
    explanation: 'A bug in the server.',
    remedy:
      'Report it with the `X-Request-Id` of the answer. The operator finds the error in the log by this id.',
  },
  downloads_unavailable: {
    kind: 'unavailable',
    sentence:
      'The server could not build the packages from its sources. The operator finds the reason in the log; usually `npm ci` is missing. After ten minutes the next request builds them again.',
    meaning: 'the packages could not be built from the sources',
    explanation:
      'A server that runs from its sources could not build the packages of [/downloads](/downloads). With `Retry-After`. A released server has them and never answers this.',
    remedy:
      'The operator reads the reason in the log. Usually `npm ci` was run without the development dependencies. Ten minutes after a failure the next request builds them again.',
  },
  unavailable: {
    kind: 'unavailable',
    sentence: (f) =>
      f.newer === undefined
        ? 'The database or the object store cannot be reached or written to at the moment. Try again shortly.'
        : `The registry was upgraded (${f.newer}), and this server of an older release ends. Try again shortly.`,
    meaning:
      'the database or the object store is unreachable or read-only, or the registry is being upgraded',
    explanation: [
      'The database or the object store does not answer, or cannot be written to because its disk or server is read-only. With `Retry-After`.',
      'The same answer comes from a server under which a [newer release](releases.md#several-servers) has migrated the database, until it ends.',
    ],
    remedy:
      'Try again. A write may have happened although it was answered so, if the connection to the database was lost during its commit: read first, or repeat a request that names its base version, which cannot happen twice. If it lasts, the operator finds the cause in the log.',
  },
  storage_full: {
    kind: 'full',
    sentence:
      'The storage of the server is full. Nothing was stored; reading still works. The operator must free space.',
    meaning: 'the storage is full',
    explanation:
      'Storage is full: the disk of `DATA_DIR` has less than `DISK_RESERVE_BYTES` free, or the disk, the PostgreSQL server or the bucket refused the write. Nothing of this request was stored. An open push session stays open and keeps the data it had received. Reads and deletions still work.',
    remedy: 'Send it again after the operator has freed space; no restart is needed.',
  },
} satisfies Readonly<Record<string, Refusal>>
