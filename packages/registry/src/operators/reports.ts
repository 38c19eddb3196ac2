/** Reports about collections: readers make them, operators read and close them. http-api §11. */
import {
  closeReport,
  countOpenReports,
  countReportsAbout,
  findCollectionById,
  insertReport,
  listReports,
  lockReport,
  noAccount,
  openReportsAt,
  type ReportItem,
  type Tx,
  unclosed,
} from '@ulmus/storage'
import type { CloseReport, CollectionPath, Report, ReportCollection } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { demandCredential, onMissingRow } from '../access/authority.ts'
import { findVisibleCollection, type VisibleCollection } from '../access/find-collection.ts'
import { peerOf } from '../access/networks.ts'
import { demandOperator } from '../access/operators.ts'
import { byInstant, isUuid, mapPage, type Page, type PageAsk, pageOf } from '../answers/pages.ts'
import { audited, type Tell } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { mailReport } from '../mails/mails.ts'
import type { Principal } from '../principal.ts'

/** Open reports about one collection, at most: reporters must not fill the table. docs/limits.md. */
export const openReportsMax = 20

const inOrder = byInstant('reports')
const placeOf = ({ id, closedAt }: ReportItem) => ({ value: closedAt ?? openReportsAt, id })

export const reportsOf = (context: Context) => ({
  /**
   * Reports a collection that the caller may see. An open report by the same account, or from the same network without one, stays
   * as it is instead.
   * @returns true if the operators have this report, false if an earlier one stands
   * @throws the refusals of the look-up; too_many_reports, unauthenticated
   */
  async make(who: Principal, path: CollectionPath, report: ReportCollection): Promise<boolean> {
    const seen = await findVisibleCollection(context, who, path)
    const made = await onMissingRow('collection_not_found', path, () => make(context, who, seen, report))
    if (made?.isMailed) context.jobs.wake('mails')
    return made !== undefined
  },

  /** Lists the reports: the newest open one first, then the last closed first. */
  async list(who: Principal, ask: PageAsk): Promise<Page<Report>> {
    await demandOperator(context, who)
    return mapPage(
      await pageOf(ask, inOrder, (slice) => listReports(context.database, slice), placeOf),
      answerOf,
    )
  },

  async countOpen(who: Principal): Promise<number> {
    await demandOperator(context, who)
    return countOpenReports(context.database)
  },

  /** Closes a report, or changes the outcome of a closed one. @throws report_not_found */
  async close(who: Principal, id: string, { outcome, note }: CloseReport): Promise<void> {
    const caller = await demandOperator(context, who)
    await audited(context, caller, async (tx, tell) => {
      await demandCredential(context, tx, caller)
      const report = isUuid(id) ? await lockReport(tx, id) : undefined
      if (report === undefined) throw new RegistryError('report_not_found')
      await closeReport(tx, { id, at: context.now(), outcome, note: note ?? null, by: caller.accountId })
      const { collection, owner } = (await findCollectionById(tx, report.collectionId, null))!
      tell({
        ...{ action: 'report.closed', account: noAccount, target: `${owner.slug}/${collection.slug}` },
        details: { report: id, outcome, reason: note ?? null },
      })
    })
  },
})

/** @returns undefined if an earlier report stands */
function make(
  context: Context,
  who: Principal,
  { collection, owner }: VisibleCollection,
  { reason, text, contact }: ReportCollection,
): Promise<{ isMailed: boolean } | undefined> {
  return audited(context, who, async (tx, tell) => {
    if (who.kind !== 'anonymous') await demandCredential(context, tx, who)
    const report = {
      ...{
        id: newId(),
        collectionId: collection.id,
        reason,
        text,
        contact: contact ?? null,
        createdAt: context.now(),
      },
      ...(who.kind === 'anonymous'
        ? { reporterId: null, network: peerOf(who.address) }
        : { reporterId: who.accountId, network: null }),
      ...unclosed,
    }
    const before = await countReportsAbout(tx, collection.id)
    if (!(await insertReport(tx, report))) return undefined
    // Two at once may exceed the bound by one, which is harmless.
    if (before >= openReportsMax)
      throw new RegistryError('too_many_reports', { say: { max: openReportsMax } })
    const isMailed = await announce(context, tx, tell, {
      target: `${owner.slug}/${collection.slug}`,
      report,
    })
    return { isMailed }
  })
}

/**
 * Tells the operators of a new report: by mail, in the log of the server and in the audit log of the registry, which operators alone read.
 * Its owner must not learn who reported a collection.
 * @returns true if a mail waits
 */
async function announce(
  context: Context,
  tx: Tx,
  tell: Tell,
  { target, report: { id, reason } }: { target: string; report: { id: string; reason: string } },
): Promise<boolean> {
  tell({ action: 'collection.reported', account: noAccount, target, details: { report: id, about: reason } })
  return mailReport(context, tx, id)
}

const answerOf = (item: ReportItem): Report => ({
  id: item.id,
  collection: {
    ...{ owner: item.owner, slug: item.slug, public: item.isPublic, hidden: item.hiddenAt !== null },
  },
  ...{ reason: item.reason, text: item.text, contact: item.contact },
  ...{ reporter: item.reporter, network: item.network, createdAt: instantText(item.createdAt) },
  closed:
    item.closedAt === null
      ? null
      : { at: instantText(item.closedAt), by: item.closer, outcome: item.outcome!, note: item.note },
})
