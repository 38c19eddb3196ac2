/** Opens the log of a registry for verification: with the keys and the size that were remembered, or remembers them the first time. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { type Client, type LogFacts, UlmusError } from '@ulmus/client'
import {
  type KnownCheckpoint,
  LogError,
  readCheckpoint,
  verifyContinues,
  verifyStatement,
} from '@ulmus/client/log'
import { parsePolicy, parseVkey, TooFewWitnessesError } from '@ulmus/content/log'
import { counted } from '@ulmus/content/quantities'
import type { Call } from '../context.ts'
import type { Connection } from '../session/connect.ts'
import { CommandError } from '../terminal/failure.ts'
import { shellWord } from '../terminal/shell-word.ts'
import { type KnownLog, readKnownLog, replaceKnownLog } from './known-logs.ts'

/** A log whose latest checkpoint is verified. */
export interface OpenLog {
  readonly client: Client
  readonly host: string
  readonly keys: readonly string[]
  /** Text of the policy file. */
  readonly policy: string | undefined
  readonly checkpoint: KnownCheckpoint
  /** Remembered ids of collections, by `owner/slug`. */
  readonly collections: Readonly<Record<string, string>>
}

/** Result of a verification, to remember. */
export interface Verified {
  readonly checkpoint: KnownCheckpoint
  /** Ids of collections, by `owner/slug`. */
  readonly collections: Readonly<Record<string, string>>
}

/** `--policy` */
export type PolicyFlag = {
  readonly policy?: string
}

/** Commands that run at once disturb each other only when the log grows or is new. */
const attemptsMax = 20

/**
 * Verifies in the log of a registry, and remembers its last checkpoint, new keys and collections.
 * @param use may run again if another process has remembered something else
 * @returns undefined if the registry signs no log and never did
 * @throws CommandError `not_what_the_log_says` with the way out
 */
export async function withLog<T extends Verified>(
  call: Call,
  { client, host }: Pick<Connection, 'client' | 'host'>,
  flags: PolicyFlag,
  use: (log: OpenLog) => Promise<T>,
): Promise<T | undefined> {
  const { env, cwd } = call.terminal
  const policy = flags.policy === undefined ? undefined : readPolicy(resolve(cwd, flags.policy))
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const known = readKnownLog(env, host)
    const found = await refusing(host, async () => {
      const facts = await factsOf(client, host, known, policy)
      if (facts === undefined) return undefined
      const log = await open({ client, host, policy }, facts, known)
      return { log, done: await use(log) }
    })
    if (found === undefined) return undefined
    const { log, done } = found
    // A remembered id stays until the log is forgotten.
    const collections = { ...done.collections, ...known?.collections }
    const next = { ...done.checkpoint, keys: log.keys, collections }
    if (!(await replaceKnownLog(env, host, known, next))) continue
    if (known === undefined)
      call.say(`The log of ${host} is remembered: ${done.checkpoint.origin}, ${log.keys.join(', ')}`)
    const added = log.keys.filter((key) => known !== undefined && !known.keys.includes(key))
    for (const key of added)
      call.say(`A new key of the log of ${host} is remembered: ${key}. A known key has signed it.`)
    return done
  }
  throw new CommandError('Other ulmus commands keep changing known_logs. Try again.')
}

/** Name and keys; undefined without a log. */
async function factsOf(
  client: Client,
  host: string,
  known: KnownLog | undefined,
  policy: string | undefined,
): Promise<LogFacts | undefined> {
  const facts = await factsIfAny(client)
  if (facts !== undefined) return facts
  if (known !== undefined)
    throw new LogError(
      `${host} signs no log now. It had one before, ${known.origin} with ${counted(known.size, 'entry', 'entries')}.`,
    )
  if (policy !== undefined) throw new LogError(`${host} signs no log, so your policy is not met.`)
  return undefined
}

/** Older registries do not know the address. */
export const factsIfAny = (client: Client): Promise<LogFacts | undefined> =>
  client.log.get().catch((error: unknown) => {
    if (error instanceof UlmusError && [404, 501].includes(error.status)) return undefined
    throw error
  })

async function open(
  of: Pick<OpenLog, 'client' | 'host' | 'policy'>,
  facts: LogFacts,
  known: KnownLog | undefined,
): Promise<OpenLog> {
  const { client, policy } = of
  if (known !== undefined && facts.origin !== known.origin)
    throw new LogError(`The log of ${of.host} is ${facts.origin}, and was ${known.origin} before.`)
  const named = facts.keys.map(({ vkey }) => vkey)
  const keys = known?.keys ?? keysOf(facts.origin, logsOf(policy) ?? named)
  const { checkpoint, signedBy } = await readCheckpoint(client, { keys, policy, before: known })
  if (checkpoint.origin !== facts.origin)
    throw new LogError(
      `The log of ${of.host} is ${facts.origin}, but its checkpoint is of ${checkpoint.origin}.`,
    )
  const added: string[] = []
  for (const key of facts.keys) {
    // The next checkpoint names it.
    if (keys.includes(key.vkey) || isPast(key) || key.index >= checkpoint.size) continue
    const { kind, name } = await verifyStatement(client, checkpoint, key)
    if (kind !== 'key' || name !== key.vkey)
      throw new LogError(`The log of ${of.host} does not name the key ${key.vkey}.`)
    added.push(...keysOf(facts.origin, [key.vkey]))
  }
  // A former key may be stolen later, so it is forgotten once another signs.
  const past = new Set(facts.keys.filter(isPast).map(({ vkey }) => vkey))
  const lasting = keys.filter((key) => !past.has(key))
  const kept = lasting.some((key) => signedBy.includes(key)) ? lasting : keys
  return { ...of, keys: [...kept, ...added], checkpoint, collections: known?.collections ?? {} }
}

const isPast = ({ until }: { until: string | null }): boolean =>
  until !== null && Date.parse(until) < Date.now()

/** @throws LogError unless they are keys of the log with this name, at least one */
function keysOf(origin: string, vkeys: readonly string[]): string[] {
  const own = vkeys.filter((vkey) => {
    const { name, type } = parseVkey(vkey)
    return name === origin && type === 'ed25519'
  })
  if (own.length === 0) throw new LogError(`No key that you trust is one of the log ${origin}.`)
  return own
}

function logsOf(policy: string | undefined): string[] | undefined {
  if (policy === undefined || parsePolicy(policy).logs.length === 0) return undefined
  return [...policy.matchAll(/^[ \t]*log[ \t]+([^ \t\n]+)/gm)].map(([, vkey]) => vkey!)
}

function readPolicy(path: string): string {
  const text = readFileSync(path, 'utf8')
  try {
    parsePolicy(text)
    return text
  } catch (error) {
    throw new CommandError(`${path}: ${(error as Error).message}`, { code: 'invalid_policy', cause: error })
  }
}

/** Runs checks of a log. @throws CommandError in place of a LogError */
export async function refusing<T>(host: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof TooFewWitnessesError)
      throw new CommandError(
        `${error.message} They sign a new one within seconds, unless they are down: try again later. If it stays so, ask the operator of the registry.`,
        { code: 'not_what_the_log_says', cause: error },
      )
    if (error instanceof LogError) throw notInLog(error.message, host)
    throw error
  }
}

/** Error for a log, or a version in it, that is not as it must be. */
export const notInLog = (message: string, host: string): CommandError =>
  new CommandError(
    `${message}\nDo not rely on this registry until its operator explains it. If you trust the explanation, put its present key into your policy, if you have one, and forget the remembered log:`,
    { code: 'not_what_the_log_says', next: [`ulmus trust ${shellWord(host)}`] },
  )

/** Differences between a log and the remembered one, as sentences. Empty: none. */
export async function differencesOf(client: Client, known: KnownLog): Promise<string[]> {
  const facts = await factsIfAny(client)
  if (facts === undefined) return ['The registry signs no log now.']
  const keys = facts.keys.map(({ vkey }) => vkey)
  const differences = keys.filter((key) => !known.keys.includes(key)).map((key) => `The key ${key} is new.`)
  if (facts.origin !== known.origin)
    return [`The log is ${facts.origin}, and was ${known.origin} before.`, ...differences]
  try {
    const { checkpoint } = await readCheckpoint(client, { keys: [...known.keys, ...keys] })
    await verifyContinues(client, known, checkpoint)
  } catch (error) {
    if (!(error instanceof LogError)) throw error
    differences.push(error.message)
  }
  return differences
}

/** Sentences about remembered collections whose path leads to another one now, or to none that is shown without a key. */
export async function changedCollections(client: Client, { collections }: KnownLog): Promise<string[]> {
  const sentences: string[] = []
  for (const [collection, before] of Object.entries(collections)) {
    const id = await client.collections.get(collection).then(
      (present) => present.id,
      () => undefined,
    )
    if (id === undefined)
      sentences.push(`${collection} is deleted, private or not readable now, so its id was not compared.`)
    else if (id !== before)
      sentences.push(
        `${collection} is another collection than the verified one: its id is ${id}, and was ${before}. The former one was deleted, renamed or transferred. If you go on, the next verification accepts the present one; folders of the former one must be cloned again.`,
      )
  }
  return sentences
}
