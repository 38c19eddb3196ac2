/**
 * Reads and writes sidecars: objects with the roots of both views of a version, so that readers need not parse its documents, which
 * may have a MiB of metadata. The format is in docs/formats.md.
 */
import { type Hash, hashText, parseSidecar, type Sidecar, sidecarText } from '@ulmus/content'
import type { ObjectReader, ObjectWriter } from '@ulmus/storage'

/** Reads a sidecar, cached and deeply frozen. */
export const readSidecar = (objects: ObjectReader, hash: Hash): Promise<Sidecar> =>
  objects.decoded(hash, parseSidecar)

/** Adds a sidecar to the objects of a new version and returns its hash. */
export async function writeSidecar(writer: ObjectWriter, sidecar: Sidecar): Promise<Hash> {
  const text = sidecarText(sidecar)
  const hash = hashText(text)
  await writer.add('plain', hash, text)
  return hash
}
