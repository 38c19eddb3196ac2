/** Policies (C2SP tlog-policy): logs that are trusted, and how many of which witnesses must have cosigned a checkpoint. */
import { LogError } from './log-error.ts'
import { parseVkey, type Verified, type Verifier } from './note.ts'

export interface Policy {
  readonly logs: readonly Verifier[]
  readonly witnesses: readonly Verifier[]
  /** True if the cosigners suffice. */
  isMet(verified: readonly Verified[]): boolean
}

/** True if those who have cosigned count as this witness or group. */
type Rule = (cosigners: ReadonlySet<Verifier>) => boolean

/** @throws LogError with the line */
export function parsePolicy(text: string): Policy {
  const [logs, witnesses]: [Verifier[], Verifier[]] = [[], []]
  const rules = new Map<string, Rule>()
  const inGroups = new Set<string>()
  let quorum: Rule | undefined
  const name = (given: string | undefined): string => {
    if (given === undefined || given === 'none' || rules.has(given))
      throw new LogError(`“${given}” is no new name`)
    return given
  }
  const known = (given: string): Rule => {
    const rule = rules.get(given)
    if (rule === undefined) throw new LogError(`“${given}” is not defined before`)
    return rule
  }
  const member = (given: string): Rule => {
    if (inGroups.has(given)) throw new LogError(`“${given}” is already in a group`)
    inGroups.add(given)
    return known(given)
  }
  const meanings: Record<string, (words: string[]) => void> = {
    log: ([vkey = '']) => void logs.push(fresh(logs, vkey, 'ed25519')),
    witness([given, vkey = '']) {
      const witness = fresh(witnesses, vkey, 'cosignature')
      witnesses.push(witness)
      rules.set(name(given), (cosigners) => cosigners.has(witness))
    },
    group([given, count = '', ...members]) {
      const needed = count === 'any' ? 1 : count === 'all' ? members.length : Number(count)
      if (!(/^(?:any|all|[1-9]\d*)$/.test(count) && members.length > 0 && needed <= members.length))
        throw new LogError('a group needs “any”, “all” or a number, and at least as many members')
      const own = members.map(member)
      rules.set(name(given), (cosigners) => own.filter((rule) => rule(cosigners)).length >= needed)
    },
    quorum([given = '', ...more]) {
      if (quorum !== undefined || more.length > 0)
        throw new LogError('there is one quorum, and one name in it')
      quorum = given === 'none' ? () => true : known(given)
    },
  }
  for (const [at, line] of text.split('\n').entries()) {
    const [word = '', ...words] = line.split(/[ \t]+/).filter((part) => part !== '')
    if (word === '' || word.startsWith('#')) continue
    try {
      const mean = Object.hasOwn(meanings, word) ? meanings[word] : undefined
      if (mean === undefined) throw new LogError(`“${word}” is not log, witness, group or quorum`)
      mean(words)
    } catch (error) {
      throw new LogError(`Line ${at + 1} of the policy: ${(error as Error).message}`)
    }
  }
  const rule = quorum
  if (rule === undefined) throw new LogError('The policy has no line “quorum”.')
  return { logs, witnesses, isMet: (verified) => rule(new Set(verified.map(({ by }) => by))) }
}

function fresh(others: readonly Verifier[], vkey: string, type: Verifier['type']): Verifier {
  const verifier = parseVkey(vkey)
  if (verifier.type !== type)
    throw new LogError(`the key is not one of a ${type === 'ed25519' ? 'log' : 'witness'}`)
  if (others.some(({ key }) => key.every((byte, at) => byte === verifier.key[at])))
    throw new LogError('the key is there twice')
  return verifier
}
