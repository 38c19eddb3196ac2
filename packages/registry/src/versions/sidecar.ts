/** Reads and writes sidecars. */
import { type Hash, hashText, parseSidecar, type Sidecar, sidecarText } from '@ulmus/content'
import type { ObjectReader, ObjectWriter } from '@ulmus/storage'

/** Reads a sidecar, cached and deeply frozen. */
export const readSidecar = (objects: ObjectReader, hash: Hash): Promise<Sidecar> =>
  objects.decoded(hash, parseSidecar)

export async function writeSidecar(writer: ObjectWriter, sidecar: Sidecar): Promise<Hash> {
  const text = sidecarText(sidecar)
  const hash = hashText(text)
  await writer.add('plain', hash, text)
  return hash
}
