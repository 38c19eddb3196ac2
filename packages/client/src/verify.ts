/** Verification without trust in the server: a record's hash, and its membership in a version's digest. */
import { type ProofResult, recordOf, verifyProof as verifyContentProof } from '@ulmus/content'
import type { CollectionRecord, ProvenRecord } from '@ulmus/wire'

/** True if a record's content matches its hash (content-model §3). */
export function verifyRecord(record: CollectionRecord): boolean {
  return recordOf(record.id, record.type, record.data).hash === record.hash
}

/**
 * Verifies that a record read with `proof` belongs to the version with the digest `digest` (`private:…` or `public:…`), and is the
 * proven record. The result depends only on SHA-256 and the digest.
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
