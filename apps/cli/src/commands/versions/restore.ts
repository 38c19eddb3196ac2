import { type RestoredVersion, UlmusError } from '@ulmus/client'
import { counted } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import type { Call } from '../../context.ts'
import { versionHere } from '../../folder/base/here.ts'
import { refusedExposures } from '../../folder/push/exposures.ts'
import { flag, required, text } from '../../parameters.ts'
import { pathOf } from '../../reference.ts'
import { CommandError } from '../../terminal/failure.ts'
import { shellWord } from '../../terminal/shell-word.ts'

const version = required('owner/slug@version', 'Version number or digest')

type RestoreFlags = { readonly message?: string; readonly publishPrivate: boolean }

/** `ulmus restore VERSION`: publishes the content of an earlier version again. */
const restore = command<RestoreFlags, [reference: string]>({
  brief: 'Publish an earlier version again',
  description:
    'The next version gets the records, files, schemas and metadata of the named one. All versions stay. In a working folder write v1.2.0.',
  examples: ['ulmus restore v1.2.0', 'ulmus restore ada/cities@v1.2.0 -m "The import was wrong"'],
  page: 'Publish the content of an earlier version [again](undo.md), as the next version; in a working folder `ulmus restore v1.2.0`. `-m`, `--message` describes it (default: `Restore` and the number); `--publish-private` allows data that is private now to become public',
  flags: {
    message: text('text', 'Message of the version (default: Restore and the number)'),
    publishPrivate: flag('Allow data that is private now to become public'),
  },
  aliases: { m: 'message' },
  positional: { kind: 'tuple', parameters: [version] },
  run: async (call, flags, text) => {
    const reference = versionHere(call.terminal.cwd, text)
    const { client } = await call.connect({ host: reference.host })
    const { message, publishPrivate } = flags
    const done = await confirming(call, publishPrivate, text, (confirmed) =>
      client.versions.restore(pathOf(reference), reference.version, { message, confirm_public: confirmed }),
    )
    if (flags.json) return call.json(done)
    if (done.unchanged === true)
      return call.say(`Nothing changed: ${done.semver} has the content of ${done.restored} already.`)
    await call.line(done.semver)
    call.say(
      `Published ${pathOf(reference)}@${done.semver} with the content of ${done.restored}: ${counted(done.recordCount, 'record')}.`,
    )
  },
})

/** Repeats a refused call with the names of the refusal, if the user allows it; private fields are refused before records. */
async function confirming(
  call: Call,
  isAllowed: boolean,
  text: string,
  restore: (confirmed: string[]) => Promise<RestoredVersion>,
  confirmed: readonly string[] = [],
): Promise<RestoredVersion> {
  try {
    return await restore([...confirmed])
  } catch (error) {
    const exposed = error instanceof UlmusError ? refusedExposures(error.body) : []
    const more = exposed.filter(({ confirm }) => !confirmed.includes(confirm))
    if (more.length === 0) throw error
    const what = more.map((one) => one.what)
    if (!isAllowed)
      throw new CommandError(`This would make public again data that is private now: ${what.join('; ')}.`, {
        code: (error as UlmusError).code,
        next: [`ulmus restore ${shellWord(text)} --publish-private`],
        cause: error,
      })
    for (const one of what) call.say(`Becomes public: ${one}.`)
    return confirming(call, isAllowed, text, restore, [...confirmed, ...more.map(({ confirm }) => confirm)])
  }
}

export default noun({
  section: 'Collections and versions',
  words: {
    restore: {
      command: restore,
      group: 'Publish',
      place: 70,
      line: ['restore VERSION', 'publish an earlier version again'],
    },
  },
})
