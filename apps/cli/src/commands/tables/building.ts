/** Resolves types and shows progress while the registry builds a table: shared by the commands for tables. */
import type { BuildOptions } from '@ulmus/client'
import type { Version } from '@ulmus/wire'
import type { Call, CommonFlags } from '../../context.ts'
import { pathOf, type Reference, referenceText } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'

/** Asks a question, with progress while the registry builds the table. */
export async function whileBuilding<T>(
  call: Call,
  { quiet }: CommonFlags,
  ask: (options: BuildOptions) => Promise<T>,
): Promise<T> {
  const progress = openProgress(call, quiet)
  try {
    return await ask({
      signal: call.signal,
      onBuilding: ({ rowsDone, rows }) =>
        progress.show('building the table', { done: rowsDone, total: rows }),
    })
  } finally {
    progress.end()
  }
}

/**
 * The type of the reference, or the only one of the version.
 * @param fault begins the message if there are several
 * @param commandFor returns the command for one of them
 * @throws CommandError (usage) if there are several or none
 */
export function typeOf(
  reference: Reference,
  { schemas, typeCounts }: Pick<Version, 'schemas' | 'typeCounts'>,
  fault: string,
  commandFor: (reference: string) => string,
): string {
  if (reference.type !== undefined) return reference.type
  const types = Object.keys(schemas).filter((type) => (typeCounts[type] ?? 0) > 0)
  const [only, ...others] = types
  if (only !== undefined && others.length === 0) return only
  throw usageError(
    `${fault} ${pathOf(reference)} has ${types.join(', ') || 'none'}.`,
    types.map((type) => commandFor(referenceText({ ...reference, type }))),
  )
}
