/** Guard of `push` and `import`: a file that lost its rows must not empty a type unnoticed. */
import { allowedRemovals, type MaxRemoved, maxRemovedUsual, type Removal, removalText } from '@ulmus/client'
import { askYes } from '../../terminal/ask.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { harmless } from '../../terminal/harmless.ts'
import { fileAt } from '../files/inside.ts'
import { baseRecordsPath } from '../files/layout.ts'
import { countLines } from '../files/lines.ts'
import type { PushPlan } from './push-plan.ts'

export interface Guarded {
  /** The given limit; undefined: half of a type, above which the user is asked. */
  readonly max: MaxRemoved | undefined
  readonly canAsk: boolean
  /** Beginning of the sentence: `This push would remove`. */
  readonly what: string
  /** End of the sentence: `Nothing was pushed.` */
  readonly otherwise: string
}

/** @throws CommandError (refused or cancelled) if more records would be removed than permitted */
export async function guardRemovals(
  removals: Iterable<Removal>,
  { max, canAsk, what, otherwise }: Guarded,
): Promise<void> {
  const bound = max ?? maxRemovedUsual
  for (const removal of removals) {
    if (removal.removed <= allowedRemovals(bound, removal.count)) continue
    const sentence = `${what} ${harmless(removalText(removal, bound))}.`
    if (max !== undefined || !canAsk)
      throw new CommandError(`${sentence} ${otherwise} To remove them anyway, add --max-removed 100%.`, {
        exitCode: exitCodes.refused,
        code: 'too_many_removed',
      })
    if (!(await askYes(`${sentence} Remove them?`, false)))
      throw new CommandError(otherwise, { exitCode: exitCodes.cancelled, code: 'cancelled' })
  }
}

/** Number of the base's records that a push removes, by type. */
export function* removalsOf(root: string, { counts }: PushPlan): Generator<Removal> {
  for (const [type, { removed }] of counts)
    if (removed > 0) yield { type, removed, count: baseCount(root, type) }
}

function baseCount(root: string, type: string): number {
  const path = baseRecordsPath(type)
  return fileAt(root, path) === undefined ? 0 : countLines(root, path)
}
