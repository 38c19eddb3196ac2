/** Web worker of the publish page: opens, plans, compares and publishes the user's file off the main thread. The page calls it through `PushCalls`. */

import type { Report } from './push/calls.ts'
import { answerCalls } from './push/calls.ts'
import type { ChangedCell, CompareAsk, OpenAsk, PlanAsk, PublishAsk } from './push/shapes.ts'
import { FilePublisher } from './push/worker/file-publisher.ts'

// The page names this worker after the script that reads workbooks.
const publisher = new FilePublisher(self.location.origin, self.name)

const calls = {
  open: (ask: OpenAsk, report: Report) => publisher.open(ask, report),
  plan: (ask: PlanAsk, report: Report) => publisher.plan(ask, report),
  compare: (ask: CompareAsk, report: Report) => publisher.compare(ask, report),
  recordsOf: (cell: ChangedCell) => publisher.recordsOf(cell),
  publish: (ask: PublishAsk, report: Report) => publisher.publish(ask, report),
}
export type PushCalls = typeof calls

answerCalls(calls, (error) => publisher.refusalOf(error))
