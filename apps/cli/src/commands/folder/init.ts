import { command, noun } from '../../command.ts'
import { type FolderState, folderFormat, jsonText, readState, writeState } from '../../folder/base/state.ts'
import { fileAt, makeFolder, writeWhole } from '../../folder/files/inside.ts'
import { dotFolder, paths } from '../../folder/files/layout.ts'
import { optional } from '../../parameters.ts'
import { demandCollectionName, parseReference, pathOf } from '../../reference.ts'
import { hostOf } from '../../session/connect.ts'
import { readSettings } from '../../session/settings.ts'
import { CommandError } from '../../terminal/failure.ts'

/** `ulmus init [owner/slug]`: makes a working folder. Can be repeated until there is a base version, to name another collection. */
const init = command<Record<never, never>, [reference?: string]>({
  brief: 'Make this folder a working folder',
  page: 'Make this folder a working folder',
  takesNewCollection: true,
  positional: { kind: 'tuple', parameters: [optional('owner/slug', 'Collection to publish to')] },
  run: async (call, flags, reference) => {
    const { cwd, env } = call.terminal
    const named = reference === undefined ? undefined : parseReference(reference)
    if (named !== undefined) demandCollectionName(pathOf(named))
    const before = fileAt(cwd, paths.state) === undefined ? undefined : readState(cwd)
    if (before !== undefined && fileAt(cwd, paths.baseVersion) !== undefined)
      throw new CommandError(`This is already a working folder of ${before.collection}.`, {
        next: ['ulmus status'],
      })
    const address =
      named?.host ?? flags.host ?? (env['ULMUS_HOST'] || readSettings(env).host) ?? before?.host ?? null
    const host = address === null ? null : hostOf(address)
    const collection = named === undefined ? (before?.collection ?? null) : pathOf(named)
    const state: FolderState = { format: folderFormat, host, collection }
    writeState(cwd, state)
    for (const folder of [paths.schemas, paths.records]) makeFolder(cwd, folder)
    if (fileAt(cwd, paths.metadata) === undefined) writeWhole(cwd, paths.metadata, jsonText({}))
    // Git should track the data, but not what can be downloaded again.
    writeWhole(cwd, `${dotFolder}/.gitignore`, '*\n')
    if (flags.json) return call.json(state)
    call.say(`This is now a working folder${collection === null ? '' : ` of ${collection}`}.`)
    call.say(
      'Next: `ulmus import FILE --type City`, or write schemas/ and records/ yourself. Then `ulmus push`.',
    )
  },
})

export default noun({
  section: 'The working folder',
  words: {
    init: {
      command: init,
      group: 'Start',
      place: 30,
      line: ['init owner/slug', 'start a new collection here'],
    },
  },
})
