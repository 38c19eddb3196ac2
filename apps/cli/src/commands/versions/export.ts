import { lstatSync } from 'node:fs'
import { basename, resolve } from 'node:path'
import { parseSemver } from '@ulmus/content'
import { sizeText } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import type { Call, TrustedFlag } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { tampered } from '../../folder/base/verified-version.ts'
import { optional, text, trusted } from '../../parameters.ts'
import { pathOf } from '../../reference.ts'
import { warnIfDeprecated } from '../../terminal/deprecated.ts'
import { CommandError, usageError } from '../../terminal/failure.ts'
import { openProgress } from '../../terminal/progress.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import { saveResponse } from '../save-response.ts'

type ExportFlags = TrustedFlag & { readonly output?: string }

/** `ulmus export [REF] [-o FILE]`: saves the archive of a version as the registry sends it, without verifying the digest. */
const exportArchive = command<ExportFlags, [reference?: string]>({
  brief: 'Save a version as a .tar.gz',
  page: 'Save a version as a `.tar.gz`; `-o`, `--output` names the file (`-` for standard output)',
  flags: {
    output: text('file', 'Output file, or - for standard output (default: owner-slug-version.tar.gz)'),
    trusted,
  },
  aliases: { o: 'output' },
  positional: {
    kind: 'tuple',
    parameters: [optional('owner/slug[@version]', 'Collection and version (default: the latest)')],
  },
  run: async (call, flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const collection = pathOf(reference)
    const { client } = await call.connect({
      host: reference.host,
      jobOf: flags.trusted ? collection : undefined,
    })
    const version = await client.versions.get(collection, reference.version ?? 'latest')
    warnIfDeprecated(call, version)
    const { semver, hash } = version
    // It becomes part of a file name.
    if (parseSemver(semver) === undefined)
      throw tampered(`The registry calls a version ${JSON.stringify(semver)}.`)
    if (flags.output === '-' && call.terminal.columns !== undefined)
      throw usageError(
        'Refusing to write an archive to the terminal. Pipe it into a program, or name a file with -o.',
      )
    const usual = basename(`${reference.owner}-${reference.slug}-${semver}.tar.gz`)
    if (flags.output === undefined) demandNew(call, usual, `${collection}@${semver}`)
    const response = await client.versions.export(collection, semver, call.signal)
    if (flags.output === '-') {
      for await (const chunk of response.body ?? []) await call.terminal.write(chunk as Uint8Array)
      return
    }
    const file = resolve(call.terminal.cwd, flags.output ?? usual)
    const progress = openProgress(call, flags.quiet)
    const bytes = await saveResponse(call.terminal, response, file, (count) => progress.show(sizeText(count)))
    progress.end()
    if (flags.json) return call.json({ file, bytes, semver, hash })
    await call.line(file)
    call.say(`${sizeText(bytes)}, ${collection}@${semver}, ${hash}`)
  },
})

/** @throws CommandError if the name exists, even as a link: only `-o` may overwrite a file */
function demandNew(call: Call, name: string, version: string): void {
  if (lstatSync(resolve(call.terminal.cwd, name), { throwIfNoEntry: false }) === undefined) return
  throw new CommandError(`${name} is already in this folder. To overwrite it, name it with -o.`, {
    code: 'file_exists',
    next: [`ulmus export ${shellWord(version)} -o ${shellWord(name)}`],
  })
}

export default noun({
  section: 'Reading',
  words: {
    export: {
      command: exportArchive,
      group: 'Read',
      place: 70,
      line: ['export REF', 'save a version as one file'],
    },
  },
})
