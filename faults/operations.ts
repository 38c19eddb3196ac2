/**
 * Operations of the workers. To add one: a file in operations/ with a function that does it and reports acknowledgements to the
 * model, and a line here.
 */
import type { CollectionModel } from './model.ts'
import { endGrant, giveGrant, pushAsCollaborator, raceGrant, useGrant } from './operations/collaborators.ts'
import { createCollection, deleteCollection, fork, rename } from './operations/collections.ts'
import { limitKey, useLimitedKey } from './operations/limited-keys.ts'
import { updateAsJob, updateMetadata } from './operations/metadata.ts'
import { pushDelta, pushDeltaAsJob, pushSnapshot, pushSnapshotAsJob } from './operations/pushes.ts'
import { race } from './operations/race.ts'
import { readDetail, readDifference, readFile, readVersion, readVersions } from './operations/reads.ts'
import { restore } from './operations/restores.ts'
import { transfer } from './operations/transfers.ts'
import { upload } from './operations/uploads.ts'
import {
  deprecate,
  erase,
  raceWithdrawal,
  removeRecord,
  withdrawHead,
  withdrawOlder,
} from './operations/withdrawals.ts'
import type { Operation } from './turn.ts'

const hasAny = (collection: CollectionModel) => collection.versions.length > 0
const hasVersion = (collection: CollectionModel) => collection.head !== undefined
const hasRecord = (collection: CollectionModel) => (collection.head?.content.records.size ?? 0) > 0
const hasTwo = (collection: CollectionModel) => collection.standing.length > 1
/** Open sessions are requested under the address of their creation. */
const hasNothingOpen = (collection: CollectionModel) => collection.leftOpen.length === 0
const hasUpload = (collection: CollectionModel) => collection.uploads.size > 0
const hasCollaborator = ({ grants }: CollectionModel) => grants.usersWith('read').length > 0
const hasWriter = ({ grants }: CollectionModel) => grants.usersWith('write').length > 0
const isOld = (collection: CollectionModel) => collection.versions.length > 8
const always = () => true

export const operations: readonly Operation[] = [
  { name: 'create', weight: 3, makes: true, run: createCollection },
  { name: 'fork', weight: 3, makes: true, for: hasVersion, run: fork },
  { name: 'delete', weight: 1, for: hasVersion, run: deleteCollection },
  { name: 'delete (long history)', weight: 4, for: isOld, run: deleteCollection },
  { name: 'rename', weight: 2, for: always, run: rename },
  { name: 'transfer', weight: 4, for: hasNothingOpen, run: transfer },
  { name: 'give a grant', weight: 5, for: always, run: giveGrant },
  { name: 'end a grant', weight: 2, for: hasCollaborator, run: endGrant },
  { name: 'use a grant', weight: 4, for: always, run: useGrant },
  { name: 'push as a collaborator', weight: 4, for: hasWriter, run: pushAsCollaborator },
  { name: 'race for the end of a grant', weight: 3, for: hasWriter, run: raceGrant },
  { name: 'limit a key', weight: 3, for: always, run: limitKey },
  { name: 'use a limited key', weight: 4, for: always, run: useLimitedKey },
  { name: 'withdraw the latest', weight: 2, for: hasVersion, run: withdrawHead },
  { name: 'withdraw an older one', weight: 2, for: hasTwo, run: withdrawOlder },
  { name: 'withdraw and erase', weight: 3, for: hasAny, run: erase },
  { name: 'remove a record', weight: 2, for: hasRecord, run: removeRecord },
  { name: 'race for a withdrawn base', weight: 2, for: hasTwo, run: raceWithdrawal },
  { name: 'deprecate', weight: 3, for: hasVersion, run: deprecate },
  { name: 'push', weight: 10, for: always, run: pushDelta },
  { name: 'push (asynchronous)', weight: 6, for: always, run: pushDeltaAsJob },
  { name: 'snapshot', weight: 6, for: always, run: pushSnapshot },
  { name: 'snapshot (asynchronous)', weight: 3, for: always, run: pushSnapshotAsJob },
  { name: 'race for one base', weight: 4, for: hasVersion, run: race },
  { name: 'metadata', weight: 8, for: hasVersion, run: updateMetadata },
  { name: 'metadata (asynchronous)', weight: 6, for: hasVersion, run: updateAsJob },
  { name: 'restore', weight: 3, for: hasTwo, run: restore },
  { name: 'upload', weight: 5, for: always, run: upload },
  { name: 'read a version', weight: 10, for: hasAny, run: readVersion },
  { name: 'read a detail', weight: 8, for: always, run: readDetail },
  { name: 'read the list of versions', weight: 4, for: always, run: readVersions },
  { name: 'read a difference', weight: 4, for: hasTwo, run: readDifference },
  { name: 'read a file', weight: 4, for: hasUpload, run: readFile },
]
