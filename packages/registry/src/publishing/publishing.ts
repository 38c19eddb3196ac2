/** Trusted publishers of collections: list, creation, changes, removal, and the exchange of their tokens. http-api §14. */
import {
  changePublisher,
  deleteKeysOfPublisher,
  deletePublisher,
  findPublisher,
  type IssuerKind,
  insertPublisher,
  listPublishers,
  type PublisherRow,
  type Queries,
  showWorkloads,
} from '@ulmus/storage'
import type { ChangePublisher, CollectionPath, CreatePublisher, Publisher, Publishers } from '@ulmus/wire'
import { v7 as newId } from 'uuid'
import { findCollectionTo, type VisibleCollection } from '../access/find-collection.ts'
import { isUuid } from '../answers/pages.ts'
import { auditedIn } from '../audit/collection-acts.ts'
import { instantText, instantTextOrNull } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import { type Anonymous, demandCaller, type Principal } from '../principal.ts'
import { claimsFault, isSameProject, labelFor } from './claims.ts'
import { type ExchangedKey, type ExchangeRequest, exchange } from './exchange.ts'
import { type Project, projectAt } from './projects.ts'
import { tokensOf } from './tokens.ts'

/** Maximum trusted publishers of a collection, as in docs/limits.md. */
export const publishersMax = 20
const lifetimeUsual = 15

export type Publishing = ReturnType<typeof publishingOf>

export function publishingOf(context: Context) {
  const verify = tokensOf(context)
  const issuers = context.issuers.map(({ issuer, kind }) => ({ issuer, kind }))
  const kinds: Kinds = new Map(issuers.map(({ issuer, kind }) => [issuer, kind]))
  return {
    /** Issuers that publishers may have, in the order of the operator's file. Empty: the feature is off. */
    issuers,

    /** The project of a trusted issuer that an address names; undefined if it is none. */
    projectAt: (address: string): Project | undefined => projectAt(issuers, address),

    /** @throws collection_not_found, MovedError, insufficient_scope, key_limited, not_a_member, insufficient_role */
    async list(who: Principal, path: CollectionPath): Promise<Publishers> {
      const { collection } = await findCollectionTo('administer', context, who, path)
      const rows = await listPublishers(context.database, collection.id)
      const publishers = rows.map((row) => shown(kinds, row))
      return { issuers, publishersOnly: collection.publishersOnly, publishers }
    },

    /** @throws the errors of `list`; publisher_not_found */
    async get(who: Principal, path: CollectionPath, id: string): Promise<Publisher> {
      const { collection } = await findCollectionTo('administer', context, who, path)
      return shown(kinds, await demandPublisher(context.database, collection.id, id))
    },

    /** @throws the errors of `list`; publishing_unavailable, issuer_not_trusted, invalid_request, too_many_publishers */
    create: async (who: Principal, path: CollectionPath, wanted: CreatePublisher): Promise<Publisher> =>
      shown(kinds, await create(context, kinds, who, path, wanted)),

    /**
     * Changes a publisher. Its keys are revoked unless only the label changes, and claims of another project lose the pinned ids.
     * @throws the errors of `list`; publisher_not_found, issuer_not_trusted, invalid_request
     */
    change: async (
      who: Principal,
      path: CollectionPath,
      id: string,
      wanted: ChangePublisher,
    ): Promise<Publisher> => shown(kinds, await change(context, kinds, who, path, id, wanted)),

    /** Removes a publisher and revokes its keys. @throws the errors of `list`; publisher_not_found */
    async remove(who: Principal, path: CollectionPath, id: string): Promise<void> {
      const seen = await findCollectionTo('administer', context, who, path)
      await auditedIn(context, who, seen, 'administer', async (tx, tell) => {
        const row = await demandPublisher(tx, seen.collection.id, id)
        await deletePublisher(tx, id)
        tell({ action: 'publisher.removed', ...about(seen, row), details: detailsOf(seen, row) })
      })
    },

    /**
     * Exchanges a token of a trusted issuer for a key of a collection.
     * @param origin public address of this registry: the audience of the token
     * @throws publishing_unavailable, invalid_grant
     */
    exchange: (who: Anonymous, request: ExchangeRequest, origin: string): Promise<ExchangedKey> =>
      exchange(context, verify, who, request, origin),
  }
}

/** Kinds of the trusted issuers. */
type Kinds = ReadonlyMap<string, IssuerKind>

async function create(
  context: Context,
  kinds: Kinds,
  who: Principal,
  path: CollectionPath,
  wanted: CreatePublisher,
): Promise<PublisherRow> {
  const seen = await findCollectionTo('administer', context, who, path)
  if (kinds.size === 0) throw new RegistryError('publishing_unavailable')
  const { issuer, claims } = wanted
  const kind = demandClaims(kinds, issuer, claims)
  const row: PublisherRow = {
    ...{ id: newId(), collectionId: seen.collection.id, issuer, kind, claims, pinned: null },
    ...{ scope: wanted.scope ?? 'write', lifetimeMinutes: wanted.lifetimeMinutes ?? lifetimeUsual },
    ...{ shows: wanted.shows ?? 'members', label: wanted.label ?? labelFor(kind, claims) },
    ...{ madeBy: demandCaller(who).accountId, createdAt: context.now(), lastUsedAt: null, refused: null },
  }
  return auditedIn(context, who, seen, 'administer', async (tx, tell) => {
    const others = await listPublishers(tx, seen.collection.id)
    if (others.length >= publishersMax)
      throw new RegistryError('too_many_publishers', { say: { max: publishersMax } })
    const made = { ...row, pinned: pinsFor(kind, row, others) }
    await insertPublisher(tx, made)
    tell({
      action: 'publisher.made',
      ...about(seen, row),
      details: { ...detailsOf(seen, row), issuer, claims: textsOf(claims), scope: row.scope },
    })
    return made
  })
}

async function change(
  context: Context,
  kinds: Kinds,
  who: Principal,
  path: CollectionPath,
  id: string,
  wanted: ChangePublisher,
): Promise<PublisherRow> {
  const seen = await findCollectionTo('administer', context, who, path)
  return auditedIn(context, who, seen, 'administer', async (tx, tell) => {
    const before = await demandPublisher(tx, seen.collection.id, id)
    const { claims } = wanted
    const kind = claims && demandClaims(kinds, before.issuer, claims)
    const given = Object.entries(wanted).filter(([, value]) => value !== undefined)
    if (given.length === 0) return before
    const changes: Partial<PublisherRow> = {
      ...Object.fromEntries(given),
      ...(claims !== undefined && {
        pinned: pinsFor(kind!, { ...before, claims }, await listPublishers(tx, seen.collection.id)),
        refused: null,
      }),
    }
    await changePublisher(tx, id, changes)
    if (given.some(([member]) => member !== 'label')) await deleteKeysOfPublisher(tx, id)
    const after = { ...before, ...changes }
    if (wanted.shows !== undefined) await showWorkloads(tx, after)
    const details = { ...detailsOf(seen, after), claims: textsOf(after.claims), scope: after.scope }
    tell({ action: 'publisher.changed', ...about(seen, after), details })
    return after
  })
}

/** Ids that a publisher of the same project has pinned: with others, another project of the name could publish. */
const pinsFor = (
  kind: IssuerKind,
  row: PublisherRow,
  others: readonly PublisherRow[],
): PublisherRow['pinned'] =>
  others.find((other) => other.pinned !== null && isSameProject(kind, other, row))?.pinned ?? null

/** @throws issuer_not_trusted, invalid_request */
function demandClaims(kinds: Kinds, issuer: string, claims: PublisherRow['claims']): IssuerKind {
  const kind = kinds.get(issuer)
  if (kind === undefined)
    throw new RegistryError('issuer_not_trusted', { say: { issuer, issuers: [...kinds.keys()].join(', ') } })
  const fault = claimsFault(kind, claims)
  if (fault === undefined) return kind
  const path = fault.claim === '' ? 'claims' : `claims.${fault.claim}`
  throw new RegistryError('invalid_request', { details: { issues: [{ path, message: fault.message }] } })
}

/** @throws publisher_not_found */
async function demandPublisher(at: Queries, collectionId: string, id: string): Promise<PublisherRow> {
  const row = isUuid(id) ? await findPublisher(at, collectionId, id) : undefined
  if (row === undefined) throw new RegistryError('publisher_not_found')
  return row
}

const about = ({ owner }: VisibleCollection, { id }: PublisherRow) => ({ account: owner.id, target: id })
const detailsOf = ({ owner, collection }: VisibleCollection, { label }: PublisherRow) => ({
  label,
  collection: `${owner.slug}/${collection.slug}`,
})

/** Demanded claims as one text, for the audit log. */
const textsOf = (claims: PublisherRow['claims']): string => JSON.stringify(claims)

const plain = (claims: PublisherRow['claims']): Publisher['claims'] =>
  Object.fromEntries(
    Object.entries(claims).map(([name, value]) => [name, typeof value === 'string' ? value : [...value]]),
  )

const shown = (kinds: Kinds, row: PublisherRow): Publisher => ({
  ...{ id: row.id, label: row.label, issuer: row.issuer, kind: kinds.get(row.issuer) ?? null },
  ...{ claims: plain(row.claims), pinned: row.pinned, scope: row.scope },
  ...{ lifetimeMinutes: row.lifetimeMinutes, shows: row.shows, createdAt: instantText(row.createdAt) },
  lastUsedAt: instantTextOrNull(row.lastUsedAt),
  refused: row.refused === null ? null : { ...row.refused },
})
