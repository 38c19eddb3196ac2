/** Base version of a push: its commit requires that it is still the head, and reads the content that the push changes. */
import { emptySidecar, emptyTree, type Sidecar, type ViewDocument } from '@ulmus/content'
import { findHead, findVersionById, ObjectCorruptError, type PushRow, type VersionRow } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { RegistryError } from '../../errors/errors.ts'
import { readContent, semverOf } from '../../versions/content.ts'
import { readSidecar } from '../../versions/sidecar.ts'
import { byType, type PushSchema } from '../schemas/push-schema.ts'
import { baseSchemas, restoreSchemas } from '../schemas/session-schemas.ts'

/**
 * Requires that the base is still the head. Called before the work; `makeVersion` checks again after it.
 * @throws version_conflict
 */
export async function demandBase(context: Context, push: PushRow): Promise<void> {
  const head = await findHead(context.database, push.collectionId)
  if (head === undefined) throw new RegistryError('collection_not_found')
  if ((head?.id ?? null) === push.baseId) return
  const currentVersion = head === null ? null : semverOf(head)
  throw new RegistryError('version_conflict', {
    details: { currentVersion },
    say: { baseVersion: push.baseSemver },
  })
}

/** Content of the base; empty documents, and null for the version, if the push makes the first one. */
export interface Base {
  version: VersionRow | null
  full: ViewDocument
  public: ViewDocument
  sidecar: Sidecar
  schemas: Map<string, PushSchema>
}

/** Document before the first version. */
export const emptyDocument: ViewDocument = Object.freeze({ files: emptyTree, metadata: {}, types: {} })

/** @param pushed complete schemas of the push: if the base's copy of one is damaged, it is stored again first */
export async function readBase(
  context: Context,
  push: PushRow,
  pushed: ReadonlyMap<string, PushSchema> | undefined,
): Promise<Base> {
  try {
    return await readBaseAsStored(context, push)
  } catch (error) {
    if (!(error instanceof ObjectCorruptError) || pushed === undefined) throw error
    await restoreSchemas(context, pushed)
    return readBaseAsStored(context, push)
  }
}

async function readBaseAsStored(context: Context, push: PushRow): Promise<Base> {
  if (push.baseId === null) {
    const empty = { full: emptyDocument, public: emptyDocument, sidecar: emptySidecar() }
    return { version: null, ...empty, schemas: new Map() }
  }
  const version = await findVersionById(context.database, push.baseId)
  if (version === undefined) throw new RegistryError('collection_not_found')
  const content = await readContent(context, version)
  return {
    version,
    full: content.full,
    public: content.public,
    sidecar: await readSidecar(context.objects, content.sidecar),
    schemas: byType((await baseSchemas(context, version)).list),
  }
}
