/** Operations on reports: readers report collections, operators close the reports. docs/design/http-api.md §11. */
import { z } from 'zod'
import { operation } from '../operation.ts'
import { CollectionPath, ReportPath } from '../paths.ts'
import { CloseReport, Report, ReportCollection, ReportedCollection, ReportsQuery } from '../reports.ts'
import { Done } from '../text.ts'

const operatorsOnly =
  'Requires a session or a key with the `admin` scope, of an operator named in the configuration of the server.'

export const reportOperations = {
  'POST /api/collections/:owner/:slug/report': operation({
    id: 'reportCollection',
    tag: 'reports',
    summary: 'Report a collection to the operators',
    description:
      'Tells the operators of the registry what is wrong with a collection, for every caller who can read it. The owner does not learn of it. While a report is open, another one by the same account, or from the same network without a credential, changes nothing, and the answer has `recorded: false`. A caller may send 10 a minute.',
    limited: 'reports',
    params: CollectionPath,
    body: ReportCollection,
    answers: { 200: ReportedCollection },
    answerWords: { 200: 'The operators have this report, or an earlier one.' },
    forOutsiders: true,
    refusals: ['too_many_reports'],
  }),
  'GET /api/admin/reports': operation({
    id: 'listReports',
    tag: 'reports',
    summary: 'List the reports about collections',
    description: `Lists open reports first, the newest first, then closed ones. Closed ones are removed after the same time as the audit log (400 days by default). ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    query: ReportsQuery,
    answers: { 200: z.array(Report) },
    answerWords: { 200: 'A page of reports.' },
  }),
  'POST /api/admin/reports/:id/close': operation({
    id: 'closeReport',
    tag: 'reports',
    summary: 'Close a report',
    description: `Notes whether the operators did something about a report, and forgets the network that it came from. Does nothing to the collection: hide it with \`POST /api/admin/collections/{owner}/{slug}/hide\`. Repeat the request to change the outcome. Recorded in the audit log of the registry, which only operators read. ${operatorsOnly}`,
    entrance: { scope: 'admin', unlimited: true },
    params: ReportPath,
    body: CloseReport,
    answers: { 200: Done },
    refusals: ['report_not_found'],
  }),
}
