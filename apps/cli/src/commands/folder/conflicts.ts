/** Describes conflicts between a folder and a version, with the next command. */

import { counted } from '@ulmus/content/quantities'
import type { Conflict } from '../../folder/update/merge-records.ts'
import type { PartConflict, Updated } from '../../folder/update/update.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError } from '../../terminal/failure.ts'
import { shellWord } from '../../terminal/shell-word.ts'

/** Maximum number of conflicts listed. */
const named = 20

/** Error of a `pull` that stopped at conflicts and changed nothing. */
export function conflictError(
  collection: string,
  semver: string,
  { conflicts, totalConflicts }: Updated,
): CommandError {
  const lines = conflicts.slice(0, named).map((conflict) => `  ${conflictText(conflict)}`)
  const more = totalConflicts > lines.length ? [`  and ${totalConflicts - lines.length} more`] : []
  const first = conflicts.find((conflict): conflict is Conflict => !('part' in conflict))
  const look =
    first === undefined
      ? []
      : [`ulmus show ${shellWord(`${collection}@${semver}#${first.type}/${first.id}`)}`]
  return new CommandError(
    [
      `${counted(totalConflicts, 'conflict')} between ${semver} and this folder. Nothing was changed.`,
      ...lines,
      ...more,
      'Edit these records to match the registry, or resolve all of them:',
    ].join('\n'),
    {
      exitCode: exitCodes.conflict,
      code: 'merge_conflict',
      next: [
        ...look,
        'ulmus pull --ours      # keep the records of this folder',
        'ulmus pull --theirs    # take those of the registry and back up yours',
      ],
    },
  )
}

function conflictText(conflict: Conflict | PartConflict): string {
  if ('part' in conflict) return `${conflict.part} ${conflict.name}`
  const { type, id, base, ours, theirs } = conflict
  const did = (side: string | undefined) =>
    side === undefined ? 'removed' : base === undefined ? 'added' : 'changed'
  return `${type} ${JSON.stringify(id)}: ${did(ours)} here, ${did(theirs)} in the registry`
}
