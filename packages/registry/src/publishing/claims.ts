/**
 * Claims of tokens: the rules for those that a publisher demands, their comparison with a token, and the presets of each kind of issuer.
 * Pure functions. docs/publish-from-ci.md explains them.
 */
import type { IssuerKind, PublisherRow, Workload } from '@ulmus/storage'
import { type NamedIssuer, siteOf } from './projects.ts'

/** Claims of a token whose signature was verified. */
export type TokenClaims = Readonly<Record<string, unknown>>
/** Demanded claims: a text, or one of several. */
export type DemandedClaims = PublisherRow['claims']

interface Preset {
  /** The claim that identifies a project for good; a name may be taken by another project later. */
  readonly id?: string
  /** The claim with the project's name. */
  readonly name: string
  /** Ids that the first token pins, if the publisher demands names alone. */
  readonly pins: readonly string[]
  /** Claims that say which job made a version. */
  readonly shown: readonly string[]
  /** Why no publisher accepts a token, whatever it demands; undefined if one may. */
  readonly refuses: (claims: TokenClaims) => string | undefined
  /** Path of the job's page at the issuer's site. */
  readonly run?: (claims: TokenClaims) => string | undefined
}

const presets: Record<IssuerKind, Preset> = {
  github: {
    ...{ id: 'repository_id', name: 'repository', pins: ['repository_id', 'repository_owner_id'] },
    shown: [
      ...['repository', 'repository_id', 'repository_owner_id', 'ref', 'ref_protected', 'sha'],
      ...['workflow_ref', 'job_workflow_ref', 'environment', 'event_name', 'runner_environment', 'run_id'],
    ],
    // They run with the rights of the repository on behalf of others.
    refuses: (claims) => {
      const event = textOf(claims, 'event_name')
      if (event === undefined) return 'The token does not say in `event_name` how its job was started.'
      return /^(?:pull_request|workflow_run$|issue_comment$)/.test(event)
        ? `Jobs started by \`${event}\` may run the code of others, so they cannot publish.`
        : undefined
    },
    run: (claims) => {
      const [repository, run] = [textOf(claims, 'repository'), textOf(claims, 'run_id')]
      return repository && run ? `/${encodePath(repository)}/actions/runs/${encodePath(run)}` : undefined
    },
  },
  gitlab: {
    ...{ id: 'project_id', name: 'project_path', pins: ['project_id', 'namespace_id'] },
    shown: [
      ...['project_path', 'project_id', 'namespace_id', 'ref', 'ref_type', 'ref_protected', 'sha'],
      ...['pipeline_source', 'ci_config_ref_uri', 'environment', 'runner_environment', 'job_id'],
    ],
    refuses: (claims) => {
      const source = textOf(claims, 'pipeline_source')
      if (source === undefined)
        return 'The token does not say in `pipeline_source` how its pipeline was started.'
      if (source === 'merge_request_event' || source === 'external_pull_request_event')
        return 'Pipelines of merge requests may run the code of others, so they cannot publish.'
      return textOf(claims, 'ref_protected') === 'true'
        ? undefined
        : 'Only jobs of protected branches and tags can publish: `ref_protected` must be "true".'
    },
    run: (claims) => {
      const [project, job] = [textOf(claims, 'project_path'), textOf(claims, 'job_id')]
      return project && job ? `/${encodePath(project)}/-/jobs/${encodePath(job)}` : undefined
    },
  },
  kubernetes: { name: 'sub', pins: [], shown: ['sub'], refuses: () => undefined },
  other: { name: 'sub', pins: [], shown: ['sub'], refuses: () => undefined },
}

/** Claims whose demanded text may end in `*`. */
const prefixed = new Set(['ref', 'workflow_ref', 'ci_config_ref_uri', 'sub'])
/** Claims that are checked for every token. */
const reserved = new Set(['iss', 'aud', 'exp', 'nbf', 'iat', 'jti'])
const claimsMax = 20
/** Characters of a claim that is stored. */
const shownTextMax = 500

/** First fault in the claims of a new publisher. `claim`: the faulty one; empty if it is none in particular. */
export function claimsFault(
  kind: IssuerKind,
  claims: DemandedClaims,
): { readonly claim: string; readonly message: string } | undefined {
  const names = Object.keys(claims)
  if (names.length > claimsMax) return { claim: '', message: `must be at most ${claimsMax} claims` }
  for (const name of names) {
    if (reserved.has(name)) return { claim: name, message: 'is checked for every token; leave it out' }
    if (!/^[A-Za-z0-9_.:/-]{1,100}$/.test(name)) return { claim: name, message: 'is not the name of a claim' }
    for (const text of listOf(claims[name]!)) {
      const message = textFault(name, text)
      if (message !== undefined) return { claim: name, message }
    }
  }
  const { id, name } = presets[kind]
  const isWhole = (claim: string) =>
    Object.hasOwn(claims, claim) && !listOf(claims[claim]!).some((text) => text.endsWith('*'))
  if (isWhole(name) || (id !== undefined && isWhole(id))) return undefined
  const wanted = id === undefined ? `\`${name}\`` : `\`${id}\` or \`${name}\``
  return { claim: '', message: `must have ${wanted} in full, to identify the job’s project` }
}

function textFault(name: string, text: string): string | undefined {
  const star = text.indexOf('*')
  if (star === -1) return undefined
  if (!prefixed.has(name)) return `must not have \`*\`: only ${[...prefixed].join(', ')} may end in one`
  if (star !== text.length - 1 || star === 0) return 'may have `*` only at its end, after other text'
  // `repo:acme/data*` would also match the repository `acme/data-of-others`.
  return name === 'sub' && !/[:/]\*$/.test(text) ? 'may have `*` only right after a `:` or a `/`' : undefined
}

export type Match =
  | { readonly kind: 'match'; readonly pins: Readonly<Record<string, string>> | null }
  | { readonly kind: 'no' }
  /** The project has the demanded name, but is not the one that was pinned. */
  | { readonly kind: 'another'; readonly ids: Readonly<Record<string, string>> }

/** True if two publishers of one issuer name the same project, so that both must have its ids. */
export function isSameProject(
  kind: IssuerKind,
  a: Pick<PublisherRow, 'issuer' | 'claims'>,
  b: Pick<PublisherRow, 'issuer' | 'claims'>,
): boolean {
  const { name } = presets[kind]
  const [one, other] = [a, b].map(({ claims }) => JSON.stringify(claims[name]))
  return a.issuer === b.issuer && one !== undefined && one === other
}

/** Compares a token with a publisher of its issuer. */
export function match(
  kind: IssuerKind,
  { claims: demanded, pinned }: Pick<PublisherRow, 'claims' | 'pinned'>,
  claims: TokenClaims,
): Match {
  const isMet = Object.entries(demanded).every(([name, wanted]) => {
    const given = textOf(claims, name)
    return given !== undefined && listOf(wanted).some((text) => isAs(given, text))
  })
  if (!isMet) return { kind: 'no' }
  const { id, pins } = presets[kind]
  if (id === undefined || Object.hasOwn(demanded, id)) return { kind: 'match', pins: null }
  const ids: Record<string, string> = {}
  for (const pin of pins) {
    const given = textOf(claims, pin)
    if (given === undefined) return { kind: 'no' }
    ids[pin] = given
  }
  if (pinned === null) return { kind: 'match', pins: ids }
  return pins.every((pin) => pinned[pin] === ids[pin])
    ? { kind: 'match', pins: null }
    : { kind: 'another', ids }
}

const isAs = (given: string, wanted: string): boolean =>
  wanted.endsWith('*') ? given.startsWith(wanted.slice(0, -1)) : given === wanted

/** Why no publisher of this kind accepts the token; undefined if one may. */
export const refusedByPreset = (kind: IssuerKind, claims: TokenClaims): string | undefined =>
  presets[kind].refuses(claims)

/** The job that a token was issued to, for the versions that it makes. */
export function workloadOf(
  { id, issuer, shows, claims: demanded }: Pick<PublisherRow, 'id' | 'issuer' | 'shows' | 'claims'>,
  kind: IssuerKind,
  claims: TokenClaims,
): Workload {
  const { shown, run } = presets[kind]
  const names = kind === 'other' ? Object.keys(demanded) : shown
  const texts = [...new Set(names)].flatMap((name) => {
    const text = textOf(claims, name)
    return text === undefined ? [] : [[name, storable(text)] as const]
  })
  return {
    ...{ publisher: id, issuer, kind, shows },
    subject: storable(textOf(claims, 'sub') ?? ''),
    claims: Object.fromEntries(texts),
    run: runAt({ issuer, kind }, run?.(claims)),
  }
}

/** A path with `..` would lead elsewhere on the issuer's site. */
const runAt = (issuer: NamedIssuer, path: string | undefined): string | null =>
  path === undefined || /\/\.{1,2}(?:\/|$)/.test(path) ? null : `${siteOf(issuer)}${path}`

/** All claims of a token that are texts, numbers or booleans, for the caller who sent it. */
export const presentedOf = (claims: TokenClaims): Record<string, string> =>
  Object.fromEntries(
    Object.keys(claims)
      // Jobs print them into logs that others read.
      .filter((name) => !/^(?:jti$|user_|actor|groups_)/.test(name))
      .flatMap((name) => {
        const text = textOf(claims, name)
        return text === undefined ? [] : [[name, storable(text)]]
      }),
  )

/** Label for a publisher without one: the name of its project. */
export function labelFor(kind: IssuerKind, claims: DemandedClaims): string {
  const { id, name } = presets[kind]
  const value = claims[name] ?? (id === undefined ? undefined : claims[id])
  return (value === undefined ? kind : listOf(value).join(', ')).slice(0, 100)
}

const listOf = (value: string | readonly string[]): readonly string[] =>
  typeof value === 'string' ? [value] : value

function textOf(claims: TokenClaims, name: string): string | undefined {
  const value = Object.hasOwn(claims, name) ? claims[name] : undefined
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : undefined
}

/** PostgreSQL stores neither U+0000 nor lone surrogates. */
const storable = (text: string): string =>
  text.slice(0, shownTextMax).toWellFormed().replaceAll('\0', '\ufffd')

const encodePath = (path: string): string => path.split('/').map(encodeURIComponent).join('/')
