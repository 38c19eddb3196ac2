/** Refusals of versions and of the signed log. */
import { exampleInstant } from '../examples.ts'
import type { Refusal } from './refusal.ts'

export const versionRefusals = {
  version_not_found: {
    kind: 'missing',
    sentence: (f) => {
      if (f.isEmpty)
        return f.wereWithdrawn
          ? 'All versions of the collection were withdrawn, so there is no latest one.'
          : 'The collection has no version yet. Push one first.'
      return `The collection has no version \`${f.version}\`. List its versions to see which exist.`
    },
    meaning: 'the collection has no such version',
    explanation: "The collection has no version with this number or digest in the caller's view.",
    remedy: 'List `…/versions`.',
    example: { say: { version: 'v9.9.9' } },
  },
  version_conflict: {
    kind: 'conflict',
    sentence: (f) =>
      f.currentVersion === null || f.currentVersion === undefined
        ? `The collection has no version yet, so ${f.baseVersion} cannot be the base. Set it to null.`
        : `The collection is at ${f.currentVersion}, but the change is based on ${f.baseVersion ?? 'no version'}. Read ${f.currentVersion}, apply the change to it, and try again.`,
    meaning: 'the base of the change is not the current version, `currentVersion`',
    remedy: 'Read the current version, apply the change to it, and try again.',
    members: ({ z }) => ({
      currentVersion: z
        .string()
        .nullable()
        .meta({ description: 'the latest version; null if there is none.' }),
    }),
    example: { details: { currentVersion: 'v1.1.0' }, say: { baseVersion: 'v1.0.0' } },
  },
  version_withdrawn: {
    kind: 'gone',
    sentence: (f) =>
      `Version \`${f.version}\` was withdrawn${f.withdrawnAt ? ` on ${String(f.withdrawnAt).slice(0, 10)}` : ''}: ${f.reason ?? 'no reason given.'}`,
    meaning: 'the version was withdrawn',
    explanation:
      'The owner withdrew the version, see `reason` and `withdrawnAt`. This is final, and its number is not reused.',
    remedy:
      'Read `latest`, the newest version that is not withdrawn, or choose one from `…/versions`, which marks withdrawn ones.',
    members: ({ z, Instant }) => ({
      reason: z.string().meta({ description: 'the reason.' }),
      withdrawnAt: Instant.meta({ description: 'time of the withdrawal.' }),
    }),
    example: {
      details: { reason: 'It names people who did not agree.', withdrawnAt: exampleInstant },
      say: { version: 'v9.9.9' },
    },
  },
  no_versions: {
    kind: 'unacceptable',
    sentence: 'The collection has no versions yet. Push one first.',
    meaning: 'the collection has no versions yet',
    remedy: 'Push one first.',
  },
  not_logged: {
    kind: 'missing',
    sentence: (f) =>
      `The log has no statement about ${f.version}: it was made before the log, or the statement was erased.`,
    meaning: 'the log has no statement about the version',
    explanation:
      'The version was made before the registry had a [signed log](verifying.md#the-log), or while it had none, or its statement was erased.',
    remedy: 'Verify the version against its digest.',
    example: { say: { version: 'v1.0.0' } },
  },
  log_behind: {
    kind: 'unavailable',
    sentence: (f) =>
      f.isStuck
        ? 'The version is not in the signed log, which this registry cannot sign at present. Its operator finds the reason on /admin/state.'
        : 'The version is not in the signed log yet. Try again shortly.',
    meaning: 'the version is not in the signed log yet',
    explanation:
      'The version is new, and its statement is not in the signed log yet. With `Retry-After`: 10 minutes if the registry cannot sign the log at present.',
    remedy:
      "Ask again. If it stays so, no server signs: the operator finds the reason in the server's own log.",
    example: { say: { isStuck: false } },
  },
  log_unavailable: {
    kind: 'unsupported',
    sentence: 'This registry signs no log.',
    meaning: 'the registry signs no log',
    explanation:
      'The registry signs no log: it was switched off (`VERSION_LOG=off`), or a server with PostgreSQL has no key (`VERSION_LOG_KEY_FILE`).',
    remedy: 'Verify versions against digests from a source that you trust.',
  },
} satisfies Readonly<Record<string, Refusal>>
