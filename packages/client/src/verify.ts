/** Checks that need no trust in the server: a record's hash, and its place in a version's digest. */
import { type ProofResult, recordOf, verifyProof as verifyContentProof } from '@ulmus/content'
import type { CollectionRecord, ProvenRecord } from '@ulmus/wire'

/** Whether a record's content hashes to the hash it came with (content-model §3). */
export function verifyRecord(record: CollectionRecord): boolean {
  return recordOf(record.id, record.type, record.data).hash === record.hash
}

/**
 * Whether a record read with `proof` belongs to the version whose digest is `digest` (`private:…` or `public:…`), and is the
 * very record that was proven. A good answer rests on SHA-256 and the digest alone.
 */
export function verifyProof(digest: string, record: ProvenRecord): ProofResult {
  const { proof } = record
  if (proof === undefined)
    return { ok: false, reason: 'The record came without a proof: read it with `proof: true`.' }
  if (recordOf(record.id, record.type, record.data).canonical !== proof.canonical) {
    return { ok: false, reason: 'The proof is of another record.' }
  }
  return verifyContentProof({ digest, ...proof })
}
