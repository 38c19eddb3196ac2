/** Makes a table file with its facts: under another name until it is complete. */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, rename, rm, utimes, writeFile } from 'node:fs/promises'
import { dirname } from 'node:path'
import { type BuildControl, buildTable } from '../build-table.ts'
import type { TableWriter } from '../engine/engine.ts'
import { partEndings } from '../line-parts.ts'
import { sha256Of } from '../sha256.ts'
import type { TableFacts, TableSource } from '../table-source.ts'
import { aheadMark, neverUsed } from './owned-files.ts'

/** Steps of a build that no caller waits for. */
export interface AheadSteps {
  /** Between two parts, which rest until it resolves. @throws what ends the build */
  between(): Promise<void>
  /** The last step before others see the table. @param unfinished path of the table, which is complete */
  finish(unfinished: string, facts: TableFacts): Promise<void>
}

interface StoreOptions extends Omit<BuildControl, 'between'> {
  readonly path: string
  readonly writer: TableWriter
  /** Undefined: a caller waits. */
  readonly ahead?: AheadSteps
}

/** @throws the errors of `buildTable`, and the reason of the signal */
export async function storeTable(
  source: TableSource,
  { path, writer, progress, signal, ahead }: StoreOptions,
): Promise<TableFacts> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 })
  const unfinished = `${path}${ahead === undefined ? '.' : aheadMark}${randomUUID()}`
  try {
    const control = { progress, signal, ...(ahead && { between: () => ahead.between() }) }
    const built = await buildTable(writer, unfinished, source, control)
    const facts: TableFacts = { owner: source.owner, ...built, sha256: await sha256Of(unfinished) }
    // Readable for the unprivileged user that runs SQL, which gets the open file; the folder is not.
    await chmod(unfinished, 0o444)
    if (ahead !== undefined) {
      await ahead.finish(unfinished, facts)
      signal.throwIfAborted()
    }
    await writeFile(`${path}.json`, JSON.stringify(facts), { mode: 0o600 })
    await rename(unfinished, path)
    if (ahead !== undefined) await utimes(path, neverUsed(), neverUsed())
    return facts
  } finally {
    for (const ending of ['', '.wal', ...partEndings]) await rm(`${unfinished}${ending}`, { force: true })
  }
}
