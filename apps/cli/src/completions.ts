/** Completes command lines. Shells run `ulmus __complete WORDS` at each Tab, so it must be fast and print no errors. */
import { type Command, type CommandContext, proposeCompletions, type RouteMap } from '@stricli/core'
import { application } from './application.ts'
import type { Context } from './context.ts'
import { connect } from './session/connect.ts'
import type { Terminal } from './terminal/terminal.ts'

/** Prints one proposal per line: a word, a tab, its description. @param words after `ulmus`; the last one is incomplete */
export async function writeCompletions(words: readonly string[], terminal: Terminal): Promise<void> {
  const found = await proposeCompletions(application, words, { process, terminal } as never)
  const names = await collectionNames(words, terminal)
  for (const { completion, brief } of [...namesBesideDefault(words), ...found, ...names])
    await terminal.write(`${completion}\t${brief}\n`)
}

/** Names of a group's commands. For a group that is also a command, such as `invitations`, the library proposes only that command's flags. */
function namesBesideDefault(words: readonly string[]): { completion: string; brief: string }[] {
  const partial = words.at(-1) ?? ''
  let group = application.root as RouteMap<CommandContext>
  for (const word of words.slice(0, -1)) {
    const target = group.getRoutingTargetForInput(word)
    if (target === undefined || !('getAllEntries' in target)) return []
    group = target
  }
  if (group.getDefaultCommand() === undefined) return []
  return group
    .getAllEntries()
    .map(({ name, target }) => ({ completion: name.original, brief: target.brief }))
    .filter(({ completion }) => completion.startsWith(partial))
}

/** Placeholders of first arguments that are, or begin with, a collection. Placeholders in `*-commands.ts` must match. */
const aboutCollections = /^(?:owner\/slug|reference|what)/
/** Commands whose first argument is a new collection, which has no proposals. */
const naming: readonly string[] = ['init', 'collections create']

/** @param path words that name a command: its groups, then its own name */
function takesCollection(path: readonly string[]): boolean {
  let target: RouteMap<Context> | Command<Context> | undefined = application.root
  for (const word of path)
    target =
      target !== undefined && 'getAllEntries' in target ? target.getRoutingTargetForInput(word) : undefined
  if (target === undefined || 'getAllEntries' in target || naming.includes(path.join(' '))) return false
  const { positional } = target.parameters
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
async function collectionNames(
  words: readonly string[],
  terminal: Terminal,
): Promise<{ completion: string; brief: string }[]> {
  const partial = words.at(-1) ?? ''
  if (!takesCollection(words.slice(0, -1)) || partial.startsWith('-') || /[@#]/.test(partial)) return []
  const patience = new Promise<never>((_, reject) => {
    setTimeout(() => reject(new Error('slow')), patienceMs).unref()
  })
  try {
    return await Promise.race([patience, namesFrom(terminal, partial)])
  } catch {
    return []
  }
}

async function namesFrom(
  terminal: Terminal,
  partial: string,
): Promise<{ completion: string; brief: string }[]> {
  const { client, key } = await connect(terminal, {})
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
