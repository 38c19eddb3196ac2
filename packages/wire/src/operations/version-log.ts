/** Operations of the signed log. docs/design/http-api.md §15. */
import { z } from 'zod'
import { operation } from '../operation.ts'
import { CollectionPath, VersionPath } from '../paths.ts'
import { LogFacts, LogQuery, LogStatement, VersionInLog } from '../version-log.ts'

export const versionLogOperations = {
  'GET /api/log': operation({
    id: 'getLog',
    tag: 'log',
    summary: 'Get the name and the keys of the log',
    description:
      'Returns name, size and keys of the signed log of this registry. `/.well-known/ulmus-log.json` has the same. The log itself is in the formats of C2SP: `/log/checkpoint` is the latest checkpoint, `/log/tile/…` are tiles of hashes and entries (tlog-tiles).',
    answers: { 200: LogFacts },
    refusals: ['log_unavailable'],
  }),
  'GET /api/collections/:owner/:slug/log': operation({
    id: 'listStatements',
    tag: 'log',
    summary: 'List statements about a collection',
    description:
      'Lists up to 100 statements of the log about a collection, in order: versions made and withdrawn, new names, and when it was made private. Pass the last `seq` as `after` to get the next. Erased ones have no text.',
    params: CollectionPath,
    query: LogQuery,
    answers: { 200: z.array(LogStatement) },
    answerWords: { 200: 'Statements; empty after the last.' },
    refusals: ['log_unavailable'],
  }),
  'GET /api/collections/:owner/:slug/versions/:v/log': operation({
    id: 'getVersionLog',
    tag: 'log',
    summary: 'Prove that a version is in the log',
    description:
      'Returns the statement that made a version and a proof that it is in the signed log. The leaf of a new version comes within two seconds, and the call waits up to 10 for it.',
    params: VersionPath,
    answers: { 200: VersionInLog },
    refusals: ['version_not_found', 'version_withdrawn', 'not_logged', 'log_behind', 'log_unavailable'],
  }),
}
