import type { UpdatedCollection } from '@ulmus/wire'
import type { Call, Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'
import { askYes } from '../../terminal/ask.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { type VisibilityFlags, visibilityIn } from './visibility.ts'

type EditFlags = VisibilityFlags & {
  readonly name?: string
  readonly description?: string
  readonly slug?: string
  readonly openOlder: boolean
}

/** `ulmus collections edit REF`: changes name, description, slug or visibility; fields without a flag stay. */
const edit: Command<EditFlags, [reference: string]> = async (call, flags, text) => {
  const { name, description, slug } = flags
  const changes = { name, description, slug, ...visibilityIn(flags) }
  if (Object.values(changes).every((value) => value === undefined))
    throw usageError('Nothing to change. Use --name, --description, --slug, --public or --private.')
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  if (changes.public === true && !flags.openOlder)
    await confirmOlder(
      call,
      pathOf(reference),
      await client.collections.update(pathOf(reference), changes, { dryRun: true }),
    )
  const done = await client.collections.update(pathOf(reference), changes)
  if (flags.json) return call.json(done)
  call.say(`${pathOf(reference)} is changed.`)
}

/** Names what older versions would show. Asks on a terminal; elsewhere `--open-older` answers. @throws CommandError (cancelled, refused) */
async function confirmOlder(
  { terminal }: Call,
  collection: string,
  { warnings = [] }: UpdatedCollection,
): Promise<void> {
  if (warnings.length === 0) return
  const what = [
    `Older versions of ${collection} would become public, too, and show more than the latest one:`,
    ...warnings.map(({ message }) => `- ${message}`),
  ].join('\n')
  if (terminal.canAsk && (await askYes(`${what}\nMake them public as they are?`, false))) return
  const versions = [...new Set(warnings.flatMap((warning) => warning.versions))]
  throw new CommandError(
    `${what}\nNothing was changed. Withdraw these versions first, or open them with --open-older.`,
    {
      ...{ exitCode: terminal.canAsk ? exitCodes.cancelled : exitCodes.refused, code: 'older_versions' },
      next: versions
        .slice(0, 5)
        .map((version) => `ulmus withdraw ${shellWord(`${collection}@${version}`)} --reason '…'`),
      body: { warnings },
    },
  )
}

export default edit
