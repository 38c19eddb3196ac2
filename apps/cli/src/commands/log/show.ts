import { LogError } from '@ulmus/client/log'
import type { LogStatement } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { leavesMax } from '../../log/leaves.ts'
import { refusing } from '../../log/open-log.ts'
import { listStatements, readStatement } from '../../log/statements.ts'
import { pathOf } from '../../reference.ts'
import { table, timeText } from '../../terminal/table.ts'

/** `ulmus log show [REF]`: lists the statements of the log about a collection, oldest first. Verifies nothing. */
const show: Command<Record<never, never>, [reference?: string]> = async (call, flags, text) => {
  const reference = referenceHere(call.terminal.cwd, text)
  const { client, host } = await call.connect({ host: reference.host })
  const statements = await refusing(host, async () => {
    const { size } = await client.log.get()
    if (size > leavesMax) throw new LogError(`The log has ${size} entries, more than ulmus can list.`)
    return listStatements(client, pathOf(reference), size)
  })
  if (flags.json) return call.json(statements)
  await call.terminal.page()
  const rows = await refusing(host, async () => statements.map(rowOf))
  await table(call, ['number', 'entry', 'statement', 'version', 'name', 'made', 'public digest'], rows)
}

function rowOf(one: LogStatement): string[] {
  const place = [String(one.seq), String(one.index)]
  if ('erased' in one) return [...place, 'erased', '', '', '', '']
  const { kind, semver, name, at, public: digest } = readStatement(one)
  return [...place, kind, semver ?? '', name, timeText(at), digest?.slice(0, 12) ?? '']
}

export default show
