/** Family of a collection: its source, its forks, and how far each is behind. docs/design: http-api §6 */
import { countPublicForks, countVersionsSince, findCollectionById, listForks } from '@ulmus/storage'
import type { CollectionPath, Family } from '@ulmus/wire'
import { findVisibleCollection } from '../access/find-collection.ts'
import { maySee, type Standing, viewFor } from '../access/policy.ts'
import type { Context } from '../context.ts'
import type { Principal } from '../principal.ts'
import { semverOf } from '../versions/content.ts'

/** Forks in an answer, as in docs/limits.md. */
const forksMax = 100

/** @throws collection_not_found, MovedError */
export async function familyOf(context: Context, who: Principal, path: CollectionPath): Promise<Family> {
  const seen = await findVisibleCollection(context, who, path)
  const { id, forkedFromId, forkedFromSemver } = seen.collection
  const accountId = who.kind === 'anonymous' ? null : who.accountId
  // A reader of the public view, even a member, learns no more than the public.
  const sees = (at: Standing) => maySee(who, at) && (at.collection.public || viewFor(who, at) === 'full')
  const [source, forks, publicForks] = await Promise.all([
    forkedFromId === null || forkedFromSemver === null
      ? undefined
      : findCollectionById(context.database, forkedFromId, accountId),
    listForks(context.database, id, { accountId, limit: forksMax }),
    countPublicForks(context.database, id),
  ])
  return {
    source:
      source === undefined || !sees(source)
        ? null
        : {
            owner: source.owner.slug,
            slug: source.collection.slug,
            name: source.collection.name,
            public: source.collection.public,
            version: forkedFromSemver!,
            latest: source.head && semverOf(source.head),
            behind: await countVersionsSince(context.database, source.collection.id, forkedFromSemver!),
          },
    forks: forks
      .filter(({ role, grant, ...fork }) => sees({ collection: fork, role, grant }))
      .map(({ id: _id, role: _role, grant: _grant, ...fork }) => fork),
    publicForks,
  }
}
