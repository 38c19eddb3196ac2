/**
 * Erases the data that only withdrawn versions have: at once, whatever its age, without setting it aside. The registry's erasure.ts orders
 * the steps.
 */
import { packsPrefix } from '../../blobs/names.ts'
import type { Queries, Tx } from '../../database/database.ts'
import type { SizedBlob } from './set-aside.ts'
import { allVersionRoots, type VersionRoots } from './sweeps.ts'

/** A version with a requested erasure, and the roots of its data. */
export interface VersionToErase extends VersionRoots {
  collectionId: string
}

/** Versions with a requested erasure that is not done. */
export async function versionsToErase(at: Queries): Promise<VersionToErase[]> {
  const { rows } = await at.query<VersionToErase>(
    `select id, collection_id as "collectionId", full_digest as "fullDigest", public_digest as "publicDigest", sidecar
     from versions where erasure = 'asked' order by id`,
  )
  return rows
}

/**
 * Ends the erasures of versions and returns their bytes to the accounts' quotas. Another sweep may have ended some before.
 * @returns the number of erasures that this call ended
 */
export async function endErasure(tx: Tx, ids: readonly string[]): Promise<number> {
  // Collections are locked before versions, as everywhere.
  await tx.query(
    `select from collections where id in (select collection_id from versions where id = any($1::uuid[])) order by id for no key update`,
    [ids],
  )
  const { rows } = await tx.query(
    `update versions set erasure = 'done' where id = any($1::uuid[]) and erasure = 'asked' returning collection_id as collection`,
    [ids],
  )
  for (const id of new Set(rows.map(({ collection }) => collection)))
    await tx.query('select give_back($1)', [id])
  // The cache does not record which version a readme is from, so it is emptied and fills again.
  await tx.query('delete from rendered_readmes')
  return rows.length
}

/** Packs that contain more bytes than the index lists, by id: their other objects were removed from the index or never entered it. */
export async function packsWithUnindexed(at: Queries): Promise<{ id: number; name: string }[]> {
  const { rows } = await at.query<{ id: number; name: string }>(
    `select p.id, p.name from packs p left join objects o on o.pack_id = p.id
     group by p.id having coalesce(sum(o.length), 0) < p.object_bytes order by p.id`,
  )
  return rows
}

/** Packs that are set aside and have not been recorded again. */
export async function packsAside(at: Queries): Promise<SizedBlob[]> {
  const { rows } = await at.query<SizedBlob>(
    `select name, bytes from blobs_set_aside a
     where starts_with(name, $1) and not exists (select from packs p where p.name = a.name) order by name`,
    [packsPrefix],
  )
  return rows
}

/**
 * Versions whose objects must be kept for now: all except erased ones, and those with an unfinished erasure. A version
 * needs its trees until its files are erased.
 */
export async function rootsToKeep(at: Queries): Promise<VersionRoots[]> {
  // Read in this order, so that a version whose erasure is requested meanwhile is still included.
  const standing = await allVersionRoots(at)
  return [...standing, ...(await versionsToErase(at))]
}

/** Ids of packs without objects in the index. */
export async function emptyPacks(at: Queries): Promise<number[]> {
  const { rows } = await at.query<{ id: number }>(
    'select id from packs p where not exists (select from objects o where o.pack_id = p.id)',
  )
  return rows.map(({ id }) => id)
}

/**
 * Removes the records of packs without objects in the index. Inline packs vanish with them; the others are doomed: set aside as of the
 * epoch, so that the next sweep removes them if this one does not.
 */
export async function doomPacks(tx: Tx, ids: readonly number[]): Promise<void> {
  await tx.query(
    `with gone as (
       delete from packs p where id = any($1::integer[]) and not exists (select from objects o where o.pack_id = p.id)
       returning name, bytes),
     cleared as (delete from inline_packs i using gone where i.name = gone.name returning i.name)
     insert into blobs_set_aside (name, bytes, since)
     select name, bytes, 'epoch' from gone where name not in (select name from cleared)
     on conflict (name) do update set since = excluded.since`,
    [ids],
  )
}

/** Doomed packs that have not been recorded again. */
export async function doomedPacks(at: Queries, max: number): Promise<SizedBlob[]> {
  const { rows } = await at.query<SizedBlob>(
    `select name, bytes from blobs_set_aside a
     where since = 'epoch' and not exists (select from packs p where p.name = a.name) order by name limit $1`,
    [max],
  )
  return rows
}

/** Names of packs by their ids. */
export async function packNames(at: Queries, ids: readonly number[]): Promise<Map<number, string>> {
  const { rows } = await at.query<{ id: number; name: string }>(
    'select id, name from packs where id = any($1::integer[])',
    [ids],
  )
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** Sidecars of versions, except those to be erased, by collection: of a collection and all its forks, direct and indirect. */
export async function sidecarsInFamily(at: Queries, collectionId: string): Promise<Map<string, string[]>> {
  const { rows } = await at.query<{ id: string; sidecar: string }>(
    `select distinct collections.id, sidecar from versions join collections on collections.id = collection_id
     where erasure is null and (collections.id = $1 or ancestors && array[$1::uuid])
     order by collections.id, sidecar`,
    [collectionId],
  )
  const family = new Map<string, string[]>()
  for (const { id, sidecar } of rows) family.set(id, [...(family.get(id) ?? []), sidecar])
  return family
}

/**
 * Removes a file from a collection. Forks that inherited it are handled separately. Removes the file's own record once no
 * collection has it.
 */
export async function forgetFile(
  tx: Tx,
  { hash, collectionId, heirs }: { hash: string; collectionId: string; heirs: readonly string[] },
): Promise<void> {
  await tx.query(
    `with told as (
       insert into collection_files (collection_id, hash, content_type, in_full, in_public, created_at, uploaded_at)
       select heir, hash, content_type, false, false, created_at, uploaded_at
       from collection_files, unnest($3::uuid[]) as heir where hash = $1 and collection_id = $2
       on conflict do nothing returning collection_id, hash)
     update collections set stored_bytes = stored_bytes + files.size
     from told, files where id = told.collection_id and files.hash = told.hash`,
    [hash, collectionId, heirs],
  )
  await tx.query(
    `with gone as (delete from collection_files where hash = $1 and collection_id = $2 returning collection_id, hash)
     update collections set stored_bytes = greatest(0, stored_bytes - files.size)
     from gone, files where id = gone.collection_id and files.hash = gone.hash`,
    [hash, collectionId],
  )
  await tx.query(
    'delete from files where hash = $1 and not exists (select from collection_files where hash = $1)',
    [hash],
  )
}
