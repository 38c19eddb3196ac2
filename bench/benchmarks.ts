/** All benchmarks in running order. Each may use what earlier ones left on the stage. */
import type { Benchmark } from './bench.ts'
import { detail } from './topics/detail.ts'
import { diffs } from './topics/diffs.ts'
import { duringPush } from './topics/during-push.ts'
import { fork, metadata } from './topics/metadata.ts'
import { browse, startUp } from './topics/operation.ts'
import { pages } from './topics/pages.ts'
import { changes, clientPush, firstPush, growth } from './topics/pushes.ts'
import { ndjson, page, record } from './topics/reads.ts'

export const benchmarks: readonly Benchmark[] = [
  firstPush,
  changes,
  diffs,
  metadata,
  fork,
  record,
  page,
  ndjson,
  detail,
  pages,
  clientPush,
  duringPush,
  browse,
  startUp,
  growth,
]
