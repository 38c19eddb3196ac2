/** Completes command lines. Shells run `ulmus __complete WORDS` at each Tab, so it must be fast and print no errors. */
import { type Command, proposeCompletions, type RouteMap } from '@stricli/core'
import { applicationOf } from './application.ts'
import type { DeclaredCommand } from './command.ts'
import { words as known } from './command-table.ts'
import type { Context } from './context.ts'
import { connect } from './session/connect.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Prints one proposal per line: a word, a tab, its description. @param words after `ulmus`; the last one is incomplete */
export async function writeCompletions(words: readonly string[], terminal: Terminal): Promise<void> {
  const [first = ''] = words
  if (words.length < 2) return writeProposals(firstWords(first), terminal)
  if (!Object.hasOwn(known, first)) return
  const application = await applicationOf(first)
  const found = await proposeCompletions(application, words, { process, terminal } as never)
  const target = targetOf(application.root, words.slice(0, -1))
  const names = takesCollection(target) ? await collectionNames(words.at(-1) ?? '', terminal) : []
  await writeProposals([...namesBesideDefault(target, words.at(-1)), ...found, ...names], terminal)
}

interface Proposal {
  readonly completion: string
  readonly brief: string
}

/** Proposals for the first word, without loading commands. */
const firstWords = (partial: string): Proposal[] =>
  Object.entries(known)
    .map(([completion, { brief }]) => ({ completion, brief }))
    .filter(({ completion }) => completion.startsWith(partial))

async function writeProposals(proposals: readonly Proposal[], terminal: Terminal): Promise<void> {
  for (const { completion, brief } of proposals) await terminal.write(`${completion}\t${brief}\n`)
}

type Target = RouteMap<Context> | Command<Context> | undefined

/** @param path words that name a command or a group */
function targetOf(root: Target, path: readonly string[]): Target {
  let target = root
  for (const word of path)
    target =
      target !== undefined && 'getAllEntries' in target ? target.getRoutingTargetForInput(word) : undefined
  return target
}

/** Names of a group's commands. For a group that is also a command, such as `invitations`, the library proposes only that command's flags. */
function namesBesideDefault(target: Target, partial = ''): Proposal[] {
  if (target === undefined || !('getAllEntries' in target)) return []
  if (target.getDefaultCommand() === undefined) return []
  return target
    .getAllEntries()
    .map(({ name, target: { brief } }) => ({ completion: name.original, brief }))
    .filter(({ completion }) => completion.startsWith(partial))
}

/** Placeholders of first arguments that are, or begin with, a collection. */
const aboutCollections = /^(?:owner\/slug|reference|what)/

function takesCollection(target: Target): boolean {
  if (target === undefined || 'getAllEntries' in target) return false
  const { parameters, about } = target as DeclaredCommand
  if (about.takesNewCollection === true) return false
  const { positional } = parameters
  const first = positional?.kind === 'array' ? positional.parameter : positional?.parameters[0]
  return aboutCollections.test(first?.placeholder ?? '')
}

/** Timeout of proposals from the registry. Milliseconds. */
const patienceMs = 1_500
/** Maximum number of collections requested from the registry. */
const namesMax = 200
/** Propose only such names: others could have a meaning in a shell. */
const collectionName = /^[a-z0-9-]+\/[a-z0-9-]+$/

/** Collections of the signed-in user, or of the owner already typed. Returns none if the registry is slow or unavailable. */
async function collectionNames(partial: string, terminal: Terminal): Promise<Proposal[]> {
  if (partial.startsWith('-') || /[@#]/.test(partial)) return []
  const patience = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('slow')), patienceMs).unref()
  })
  try {
    return await Promise.race([patience, namesFrom(terminal, partial)])
  } catch {
    return []
  }
}

async function namesFrom(terminal: Terminal, partial: string): Promise<Proposal[]> {
  const { client, key } = await connect(terminal, { retrySeconds: 0 })
  const [owner, slug] = partial.split('/')
  const found: string[] = []
  if (owner !== undefined && owner !== '' && slug !== undefined) {
    for await (const one of client.collections.listAll(owner)) {
      found.push(`${owner}/${one.slug}`)
      if (found.length >= namesMax) break
    }
  } else if (key !== undefined) {
    for await (const one of client.accounts.collections()) {
      found.push(`${one.ownerSlug}/${one.slug}`)
      if (found.length >= namesMax) break
    }
  }
  return found
    .filter((name) => collectionName.test(name) && name.startsWith(partial))
    .map((completion) => ({ completion, brief: 'a collection' }))
}
