import type { AuditEvent } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { usageError } from '../../terminal/failure.ts'
import { jsonText } from '../../terminal/harmless.ts'
import { table, timeText } from '../../terminal/table.ts'
import { limited } from '../limited.ts'

type AuditFlags = {
  readonly actor?: string
  readonly action?: string
  readonly after?: string
  readonly ndjson: boolean
  readonly limit?: number
}

/** `ulmus audit OWNER`: shows the audit log, newest first. `--ndjson` streams the whole log. */
const audit: Command<AuditFlags, [owner: string]> = async (call, flags, owner) => {
  if (flags.json && flags.ndjson) throw usageError('--json and --ndjson exclude each other. Use one of them.')
  const { actor, action } = flags
  const filters = { actor, action, after: flags.after === undefined ? undefined : instantOf(flags.after) }
  const { client } = await call.connect()
  if (flags.ndjson) {
    for await (const event of client.accounts.auditStream(owner, filters, call.signal))
      await call.line(jsonText(event))
    return
  }
  const events = await limited(call, client.accounts.auditAll(owner, filters), flags.limit)
  if (flags.json) return call.json(events)
  const rows = events.map(({ at, actor: by, action: what, target, details }) => [
    timeText(at),
    by.account ?? '',
    what,
    target,
    by.key?.label ?? '',
    detailsText(details),
  ])
  await table(call, ['when', 'who', 'did', 'to', 'with key', 'details'], rows)
}

const detailsText = (details: AuditEvent['details']): string =>
  Object.entries(details)
    .map(([name, value]) => `${name}=${value}`)
    .join(' ')

/** Parses a day or a time. Without a time zone it is in the time zone of this machine, as in tables. */
function instantOf(text: string): string {
  const [, day, time] = /^(\d{4}-\d\d-\d\d)(?:[T ](.+))?$/.exec(text) ?? []
  const at = day === undefined ? Number.NaN : Date.parse(`${day}T${time ?? '00:00'}`)
  if (Number.isNaN(at))
    throw usageError(`\`${text}\` is not a valid time. Use 2026-01-31 or 2026-01-31T14:00Z.`)
  return new Date(at).toISOString()
}

export default audit
