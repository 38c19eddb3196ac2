/**
 * Names of blobs, made by no other module. They are a format: existing stores and the table of packs contain them, so a changed name loses
 * data. The two characters before a name's last part keep folders small.
 */
import type { Hash } from '@ulmus/content'

/** Common prefix of all packs, for listings. */
export const packsPrefix = 'packs/'
/** Common prefix of all uploaded files. */
export const filesPrefix = 'files/'

/** `id` is a UUID, so that two servers never write the same pack. */
export const packName = (id: string) => checkedName(`${packsPrefix}${id.slice(0, 2)}/${id}`)

/** An uploaded file, unchanged. */
export const fileName = (hash: Hash) => checkedName(`${filesPrefix}${hash.slice(0, 2)}/${hash}`)

/** Identifies the installation that the store belongs to. */
export const installationName = 'installation/id'

/** The last signed checkpoint of a log. `originHash`: of its name, in hexadecimal digits. */
export const checkpointName = (originHash: string) => checkedName(`installation/log-${originHash}`)

/** Received data of push sessions. */
export const allSpillsPrefix = 'spills/'

/** Data that one push session has received and not yet committed. */
export const spillsPrefix = (pushId: string) => `${allSpillsPrefix}${pushId}/`

/** A checked and sorted batch of a push session. */
export const spillName = (pushId: string, id: string) => checkedName(`${spillsPrefix(pushId)}${id}`)

/** File systems allow 255 bytes for one part of a path. Characters. */
const nameCharactersMax = 200
/**
 * Two to four parts of lowercase letters, digits and hyphens: no `..`, no absolute path, no character that a file system folds or forbids.
 */
const wellFormed = /^[a-z0-9][a-z0-9-]*(?:\/[a-z0-9][a-z0-9-]*){1,3}$/

/** True if a function in this file could have made the name. */
export const isName = (name: string) => name.length <= nameCharactersMax && wellFormed.test(name)

/** @throws RangeError for a name that no function in this file makes. */
export function checkedName(name: string): string {
  if (isName(name)) return name
  throw new RangeError(`"${name.slice(0, nameCharactersMax)}" is no name of a blob.`)
}
