/** Worker of the page that publishes a file. */

import type { Report } from './push/calls.ts'
import { answerCalls } from './push/calls.ts'
import type { CompareAsk, OpenAsk, PlanAsk, PublishAsk } from './push/shapes.ts'
import { Desk } from './push/worker/desk.ts'

const desk = new Desk(self.location.origin)

const calls = {
  open: (ask: OpenAsk, report: Report) => desk.open(ask, report),
  plan: (ask: PlanAsk, report: Report) => desk.plan(ask, report),
  compare: (ask: CompareAsk, report: Report) => desk.compare(ask, report),
  publish: (ask: PublishAsk, report: Report) => desk.publish(ask, report),
}
export type PushCalls = typeof calls

answerCalls(calls, (error) => desk.refusalOf(error))
