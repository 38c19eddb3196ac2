/** Forks: a new collection whose first version points at what the source's latest does. interface.md "Fork", http-api §6. */
import {
  type CollectionRow,
  findAccountBySlug,
  lockCollection,
  type ObjectWriter,
  openObjectWriter,
  type Tx,
} from '@ulmus/storage'
import { type CollectionPath, newCollection, placeCollection, slugTakenAs } from './collections.ts'
import type { Context } from './context.ts'
import { demand, RegistryError } from './errors.ts'
import { goneAs } from './gone.ts'
import { roleIn } from './membership.ts'
import { mayCreateIn, mayEnter, mayFork } from './policy.ts'
import { goFirst } from './precedence.ts'
import type { Principal } from './principal.ts'
import { type Seen, seeCollection } from './seen.ts'
import type { SeenAccount } from './seen-account.ts'
import { checkCollectionSlug, isAccountSlug } from './slugs.ts'
import { againIfSwept } from './swept.ts'
import {
  isFullyPublic,
  makeVersion,
  orAborted,
  publicContent,
  readContent,
  semverOf,
  type VersionContent,
} from './version-making.ts'

export interface NewFork {
  /** Slug of the org to fork into. */
  targetOrg: string
  /** Default: the source's. */
  slug?: string
  /** False makes the fork private; else it is as public as its source. */
  public?: boolean
}

export type Forks = ReturnType<typeof forksOf>

const firstSemver = { major: 1, minor: 0, patch: 0 }
const forkMessage = 'Fork'

export function forksOf(context: Context) {
  return {
    /**
     * Constant in the size of the collection: no tree is read.
     * @throws in this order: unauthenticated, insufficient_scope, key_limited; collection_not_found; account_not_found for the
     *   target; not_a_member of it; private_content; no_versions, invalid_slug; slug_taken.
     */
    create(who: Principal, path: CollectionPath, input: NewFork) {
      return goFirst(async () => {
        demand(mayEnter(who, { scope: 'write', unlimited: true }))
        const source = await seeCollection(context, who, path)
        const target = await targetFor(context, who, input.targetOrg)
        demand(mayCreateIn(who, target.role), { owner: target.account.slug })
        const { head } = source
        const content = head && (await readContent(context, head))
        demand(mayFork(source.role, content === null || isFullyPublic(content)))
        if (head === null || content === null) throw new RegistryError('no_versions')
        const slug = input.slug ?? source.collection.slug
        checkCollectionSlug(slug)

        const row = {
          ...newCollection(context, target.account.id, { ...source.collection, slug }),
          forkedFromId: source.collection.id,
          forkedFromSemver: semverOf(head),
          ancestors: [source.collection.id, ...source.collection.ancestors],
        }
        const make = async () => {
          const writer = openObjectWriter({ database: context.database, blobs: context.blobs, inline: true })
          return makeVersion(context, {
            collection: row,
            base: null,
            semver: firstSemver,
            content: await contentFor(context, source, content, writer),
            writer,
            message: forkMessage,
            before: (tx) => place(tx, source, row, path, input.public ?? true),
          })
        }
        const version = await slugTakenAs(slug, () =>
          goneAs('account_not_found', { slug: target.account.slug }, () =>
            againIfSwept(context.objects, make),
          ),
        )
        return {
          id: row.id,
          owner: target.account.slug,
          slug,
          name: row.name,
          forkedFrom: {
            owner: source.owner.slug,
            slug: source.collection.slug,
            version: row.forkedFromSemver,
          },
          version: { semver: semverOf(version), recordCount: version.fullRecords },
        }
      })
    },
  }
}

/** A user account is no target. Nor is a former slug: what a body names is not redirected. */
async function targetFor(context: Context, who: Principal, slug: string): Promise<SeenAccount> {
  const account = isAccountSlug(slug) ? await findAccountBySlug(context.database, slug) : undefined
  if (account?.type === 'org') return { account, role: await roleIn(context.database, who, account) }
  throw new RegistryError('account_not_found', { say: { target: slug } })
}

/** Members take both views along, outsiders the public one alone. */
async function contentFor(
  context: Context,
  source: Seen,
  content: VersionContent,
  writer: ObjectWriter,
): Promise<VersionContent> {
  if (source.role !== null) return content
  return orAborted(writer, () => publicContent(context, content, writer))
}

/** As public as the source is now, which must still be there and, for an outsider, still be public. */
async function place(
  tx: Tx,
  source: Seen,
  row: Omit<CollectionRow, 'foldedName'>,
  path: CollectionPath,
  wanted: boolean,
): Promise<void> {
  // Held until the fork is there: whoever deletes the source then sees it, and keeps what it inherited.
  const now = await lockCollection(tx, source.collection.id, 'share')
  if (now === undefined || (!now.public && source.role === null))
    throw new RegistryError('collection_not_found', { say: path })
  await placeCollection(tx, { ...row, public: now.public && wanted })
}
