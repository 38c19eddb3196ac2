/** Commands for trusted publishers. */
import { buildRouteMap } from '@stricli/core'
import type { CreatePublisher, Publisher } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import { count, required, several, text } from '../parameters.ts'
import { parseReference, pathOf } from '../reference.ts'
import { usageError } from '../terminal/failure.ts'
import { table, timeText } from '../terminal/table.ts'

const collection = required('owner/slug', 'Collection')

/** `ulmus publishers list REF` */
const list = command<Record<never, never>, [reference: string]>({
  brief: 'List the trusted publishers',
  page: 'List the [trusted publishers](publish-from-ci.md), CI jobs that push without a stored key: claims, pinned ids, scope, minutes, readers who see the job, last use, and a refused project of the same name',
  positional: { kind: 'tuple', parameters: [collection] },
  run: async (call, flags, text) => {
    const reference = parseReference(text)
    const { client } = await call.connect({ host: reference.host })
    const answer = await client.publishers.list(pathOf(reference))
    if (flags.json) return call.json(answer)
    await table(call, heads, answer.publishers.map(rowOf))
    for (const { label, refused } of answer.publishers)
      if (refused !== null)
        call.say(
          `Refused ${timeText(refused.at)}: a project named ${label}, but another: ${claimsText(refused.claims)}`,
        )
    if (answer.publishersOnly) call.say('Only these publish to the collection.')
  },
})

const heads = ['id', 'label', 'issuer', 'claims', 'pinned', 'scope', 'minutes', 'shown to', 'used']

const rowOf = (one: Publisher): string[] => [
  one.id,
  one.label,
  one.kind === null ? `${one.issuer} (no longer trusted)` : one.issuer,
  claimsText(one.claims),
  one.pinned === null ? 'nothing' : claimsText(one.pinned),
  one.scope,
  String(one.lifetimeMinutes),
  one.shows,
  one.lastUsedAt === null ? 'never' : timeText(one.lastUsedAt),
]

const claimsText = (claims: Publisher['claims']): string =>
  Object.entries(claims)
    .map(([name, value]) => `${name}=${typeof value === 'string' ? value : value.join('|')}`)
    .join(' ')

type AddFlags = {
  readonly issuer: string
  readonly claim?: readonly string[]
  readonly scope: 'read' | 'write'
  readonly minutes?: number
  readonly shows: 'none' | 'members' | 'everyone'
  readonly label?: string
}

/** `ulmus publishers add REF --issuer URL --claim name=text` */
const add = command<AddFlags, [reference: string]>({
  brief: 'Let jobs with these claims publish',
  description:
    'One claim must identify the project: on GitHub repository or repository_id, on GitLab project_path or project_id, on Kubernetes and others sub. The others limit it, such as to a branch.',
  examples: [
    'ulmus publishers add ada/cities --issuer https://token.actions.githubusercontent.com --claim repository=atlas/cities --claim ref=refs/heads/main',
    'ulmus publishers add ada/cities --issuer https://gitlab.example --claim project_path=atlas/cities --claim ref=main --claim ref_type=branch',
    'ulmus publishers add ada/cities --issuer https://kubernetes.default.svc.cluster.local --claim sub=system:serviceaccount:cities:publisher',
    'ulmus publishers add ada/cities --issuer https://ci.example --claim sub=job-of-cities',
  ],
  page: 'Let jobs publish: `--issuer URL`, `--claim name=text` (repeat it), `--scope` (`write`, `read`), `--minutes 15` (5 to 60), `--shows` (`members`, `everyone`, `none`: readers who see which job made a version), `--label`',
  flags: {
    issuer: { kind: 'parsed', parse: String, placeholder: 'url', brief: 'Issuer of the tokens' },
    claim: several('name=text', 'Claim that a token must have; several texts of one claim: any of them'),
    scope: { kind: 'enum', values: ['read', 'write'], default: 'write', brief: 'Scope of the keys' },
    minutes: count('minutes', 'Life of the keys, 5 to 60 (default: 15)'),
    shows: {
      kind: 'enum',
      values: ['none', 'members', 'everyone'],
      default: 'members',
      brief: 'Readers who see which job made a version',
    },
    label: text('text', 'Label (default: the name of the project)'),
  },
  positional: { kind: 'tuple', parameters: [collection] },
  run: async (call, flags, text) => {
    const reference = parseReference(text)
    const { issuer, scope, shows, label, minutes: lifetimeMinutes } = flags
    if (lifetimeMinutes !== undefined && (lifetimeMinutes < 5 || lifetimeMinutes > 60))
      throw usageError(`--minutes ${lifetimeMinutes}: use 5 to 60.`)
    const wanted = {
      ...{ issuer, scope, shows, claims: claimsIn(flags.claim ?? []) },
      ...(label !== undefined && { label }),
      ...(lifetimeMinutes !== undefined && { lifetimeMinutes }),
    }
    const { client } = await call.connect({ host: reference.host })
    const made = await client.publishers.add(pathOf(reference), wanted)
    if (flags.json) return call.json(made)
    await call.line(made.id)
    call.say(`Jobs of ${made.label} may now publish to ${pathOf(reference)}.`)
  },
})

/** A claim that is given several times may have any of the texts. */
function claimsIn(given: readonly string[]): CreatePublisher['claims'] {
  const claims = new Map<string, string[]>()
  for (const one of given) {
    const [, name, text] = /^([^=]+)=(.+)$/s.exec(one) ?? []
    if (name === undefined || text === undefined)
      throw usageError(`--claim ${one}: use name=text, such as project_path=group/project.`)
    claims.set(name, [...(claims.get(name) ?? []), text])
  }
  return Object.fromEntries(
    [...claims].map(([name, texts]) => [name, texts.length === 1 ? texts[0]! : texts]),
  )
}

/** `ulmus publishers remove REF ID` */
const remove = command<Record<never, never>, [reference: string, id: string]>({
  brief: 'Remove a trusted publisher',
  page: 'Remove a trusted publisher and revoke its keys',
  positional: {
    kind: 'tuple',
    parameters: [collection, required('id', 'Id from `ulmus publishers list`')],
  },
  run: async (call, flags, text, id) => {
    const reference = parseReference(text)
    const { client } = await call.connect({ host: reference.host })
    const done = await client.publishers.remove(pathOf(reference), id)
    if (flags.json) return call.json(done)
    call.say('The publisher is removed, and its keys are revoked.')
  },
})

const publishers = buildRouteMap({
  docs: { brief: 'Trusted publishers: jobs that push without a stored key' },
  routes: { list, add, remove },
})

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    publishers: {
      command: publishers,
      group: 'Manage',
      place: 60,
      line: ['publishers', 'let CI jobs push without a key'],
    },
  },
})
