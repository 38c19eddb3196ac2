/**
 * The log of a restored backup, or of stores whose move is given up. It may be shorter than what was published, and to go on would sign a
 * second log of the same name and size. So it gets another name, unless the operator knows that nothing was signed since.
 */
import { parseCheckpoint, splitNote } from '@ulmus/content/log'
import { beginLog, type Database, findLog, lockLog, restartLog } from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import type { Outside } from '../outside/ask.ts'
import { StoresUnfitError } from '../stores/installation.ts'
import { askWitness, type Witness } from './cosigning.ts'
import { nextOrigin, publicOrigin } from './signing.ts'
import { storedHashes } from './stored-hashes.ts'

/** `continues`: the log keeps its name, unless one of these witnesses knows a later one. */
export type RestoredLog =
  | { readonly kind: 'restarts' }
  | { readonly kind: 'continues'; readonly witnesses: readonly Witness[]; readonly outside: Outside | null }

/** @throws StoresUnfitError if a witness knows a later log, or does not answer */
export async function settleLog(database: Database, log: RestoredLog): Promise<void> {
  if (log.kind === 'continues') await demandLatest(database, log.witnesses, log.outside)
  else await renameLog(database)
}

/**
 * May run beside servers.
 * @param publicUrl the log of a trial gets its host
 * @returns the new name; null if it is known once a key signs
 */
export function renameLog(database: Database, publicUrl?: string): Promise<string | null> {
  return database.transact(async (tx) => {
    // A backup from before the log: its first key may have signed since.
    await beginLog(tx, newId())
    const { origin } = (await lockLog(tx, true))!
    const at = new Date()
    const next = origin && nextOrigin(publicOrigin(origin, publicUrl) ?? origin, at)
    await restartLog(tx, { origin: next, at })
    return next
  })
}

async function demandLatest(
  database: Database,
  witnesses: readonly Witness[],
  outside: Outside | null,
): Promise<void> {
  if (witnesses.length === 0) return
  const otherwise = 'Without --log-continues the log continues under another name.'
  const note = (await findLog(database))?.checkpoint
  if (outside === null) throw new StoresUnfitError(`OUTSIDE=off: witnesses cannot be asked. ${otherwise}`)
  if (note == null) throw new StoresUnfitError(`The log is not signed. ${otherwise}`)
  const { size } = parseCheckpoint(splitNote(note).text)
  for (const witness of witnesses) {
    const hashes = storedHashes(database, size)
    const answer = await askWitness(witness, { note, hashes, known: size, outside })
    const { name } = witness.key
    if (answer.kind === 'conflict')
      throw new StoresUnfitError(
        `The witness ${name} knows the log with ${answer.size} entries; this one has ${size}, or others. ${otherwise}`,
      )
    // 404: it has never cosigned this log.
    if (answer.kind === 'failed' && answer.status !== 404)
      throw new StoresUnfitError(`The witness ${name} cannot be asked: ${answer.why}. ${otherwise}`)
  }
}
