/**
 * Exchange of a token of a trusted issuer for a key of a collection (RFC 8693). A token that no publisher accepts is refused in the same
 * way whether the collection is absent, hidden, or has other publishers.
 */
import { hashText } from '@ulmus/content'
import {
  changePublisher,
  countKeysOfPublisher,
  type IssuerKind,
  insertKey,
  listPublishers,
  lockPublisher,
  type PublisherRow,
  publishersAt,
  type Tx,
  useToken,
} from '@ulmus/storage'
import { v7 as newId } from 'uuid'
import { keyStartLength, makeRawKey } from '../access/raw-key.ts'
import { audited } from '../audit/acts.ts'
import { instantText } from '../clock.ts'
import type { Context } from '../context.ts'
import { RegistryError } from '../errors/errors.ts'
import type { Anonymous } from '../principal.ts'
import { isSameProject, match, presentedOf, refusedByPreset, workloadOf } from './claims.ts'
import type { Tokens, VerifiedToken } from './tokens.ts'

export interface ExchangeRequest {
  /** The token: a JWT. */
  readonly token: string
  /** Path of the collection. */
  readonly owner: string
  readonly slug: string
}

export interface ExchangedKey {
  readonly key: string
  readonly scope: 'read' | 'write'
  /** Seconds. */
  readonly expiresIn: number
}

/** Unexpired keys of a publisher, as in docs/limits.md. */
const liveKeysMax = 100
/** One publisher keeps only the last refusal, at most one a minute. */
const refusalMilliseconds = 60_000

/**
 * @param origin public address of this registry, the only audience that is accepted
 * @throws publishing_unavailable, invalid_grant; the latter with the token's own claims if its signature is good
 */
export async function exchange(
  context: Context,
  verify: Tokens,
  who: Anonymous,
  { token, owner, slug }: ExchangeRequest,
  origin: string,
): Promise<ExchangedKey> {
  if (context.issuers.length === 0) throw new RegistryError('publishing_unavailable')
  const verified = await verify(token, origin)
  if (typeof verified === 'string') throw new RegistryError('invalid_grant', { say: { reason: verified } })
  const { issuer, claims } = verified
  const refusal = (reason: string) =>
    new RegistryError('invalid_grant', { say: { reason }, details: { presented: presentedOf(claims) } })
  const preset = refusedByPreset(issuer.kind, claims)
  if (preset !== undefined) throw refusal(preset)
  const found = await publishersAt(context.database, { owner, slug }, issuer.issuer)
  // The operator may have changed the kind of an issuer: its publishers were made for other rules.
  const ofKind = found.filter(({ publisher }) => publisher.kind === issuer.kind)
  for (const { publisher, place } of ofKind) {
    const matched = match(issuer.kind, publisher, claims)
    // Not awaited, or the time of the answer would tell that the collection has such a publisher.
    if (matched.kind === 'another') void noteRefusal(context, publisher, verified)
    if (matched.kind !== 'match' || place.suspendedAt !== null) continue
    const made = await makeKey(context, who, verified, publisher, place)
    if (made === 'used')
      throw refusal('The token was exchanged before. Request another token for each exchange.')
    if (made === 'many')
      throw refusal(
        `The publisher has ${liveKeysMax} keys that have not expired. Use one key for a whole job.`,
      )
    if (made !== 'gone') return made
  }
  throw refusal(
    'No trusted publisher of such a collection accepts this token. Compare `presented` with the collection’s settings: the name of the collection, each claim, and the id of the project, which changes when a project of the same name is created again.',
  )
}

async function makeKey(
  context: Context,
  who: Anonymous,
  { issuer, claims, jti, until }: VerifiedToken,
  { id, collectionId }: PublisherRow,
  place: { collectionSlug: string; ownerId: string; ownerSlug: string },
): Promise<ExchangedKey | 'used' | 'many' | 'gone'> {
  return audited(context, who, async (tx, tell) => {
    // A transfer and a deletion remove it, so it stands for the collection: a lock of that would hold up its admins.
    const publisher = await lockPublisher(tx, id)
    if (publisher === undefined) return 'gone'
    // Pins and claims may have changed since they were read.
    const matched = match(issuer.kind, publisher, claims)
    if (matched.kind !== 'match') return 'gone'
    if ((await countKeysOfPublisher(tx, id, context.now())) >= liveKeysMax) return 'many'
    if (!(await useToken(tx, { issuer: issuer.issuer, jti: hashText(jti), until }))) return 'used'
    const now = context.now()
    await changePublisher(tx, id, { lastUsedAt: now })
    if (matched.pins !== null) await pin(tx, issuer.kind, publisher, matched.pins)
    const [key, keyId] = [makeRawKey(), newId()]
    const { label, scope, lifetimeMinutes } = publisher
    const workload = workloadOf(publisher, issuer.kind, claims)
    const expiresIn = lifetimeMinutes * 60
    const expiresAt = new Date(now.getTime() + expiresIn * 1_000)
    await insertKey(tx, {
      ...{ id: keyId, accountId: place.ownerId, hash: hashText(key), start: key.slice(0, keyStartLength) },
      ...{ label, scope, collectionIds: [collectionId], createdAt: now, expiresAt, lastUsedAt: null },
      ...{ publisherId: id, workload, roleCap: 'member' },
    })
    tell({
      ...{ action: 'key.exchanged', account: place.ownerId, target: keyId },
      details: {
        ...{ label, publisher: id, collection: `${place.ownerSlug}/${place.collectionSlug}` },
        ...{ subject: workload.subject, expiresAt: instantText(expiresAt) },
      },
    })
    return { key, scope, expiresIn }
  })
}

/** Pins the ids of a project for all publishers that name it. */
async function pin(
  tx: Tx,
  kind: IssuerKind,
  publisher: PublisherRow,
  pinned: Readonly<Record<string, string>>,
): Promise<void> {
  for (const other of await listPublishers(tx, publisher.collectionId))
    if (other.pinned === null && isSameProject(kind, other, publisher))
      await changePublisher(tx, other.id, { pinned })
}

/** For the collection's admins; the sender of the token learns nothing. */
async function noteRefusal(
  context: Context,
  { id, refused }: PublisherRow,
  { issuer, claims }: VerifiedToken,
): Promise<void> {
  const now = context.now()
  const isRecent = (last: PublisherRow['refused']) =>
    last !== null && now.getTime() - Date.parse(last.at) < refusalMilliseconds
  if (isRecent(refused)) return
  try {
    if (await context.space.isFull()) return
    await context.database.transact(async (tx) => {
      // Another refusal or a change of the claims may have come first.
      const publisher = await lockPublisher(tx, id)
      if (publisher === undefined || isRecent(publisher.refused)) return
      const matched = match(issuer.kind, publisher, claims)
      if (matched.kind !== 'another') return
      await changePublisher(tx, id, { refused: { at: instantText(now), claims: matched.ids } })
    })
  } catch (error) {
    context.log.warn({ err: error }, 'The refusal of a token could not be recorded.')
  }
}
