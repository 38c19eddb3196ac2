/** Refusals of snapshot pushes alone, about their manifest. */
import { exampleNeeded, exampleRecord } from '../examples.ts'
import type { Refusal, Shapes } from './refusal.ts'

const exampleRecordName = { id: exampleRecord.id, type: exampleRecord.type }

/** Members that name a record. */
const recordNames = (z: Shapes['z']) => ({
  id: z.string().meta({ description: 'id of the record.' }),
  type: z.string().meta({ description: 'type of the record.' }),
})

function otherHash({ type, id, hash, manifestHash, isStripped }: Record<string, unknown>): string {
  const cause = isStripped
    ? 'With `strip_unknown_fields`, the manifest has the hash of the record without unknown fields.'
    : 'The usual cause is the order of names: they are sorted as text, `"10"` before `"2"`, but a JavaScript object puts whole numbers first in numeric order, even if they were added sorted. Build the canonical text itself in sorted order, and hash that.'
  return `the manifest has record \`${id}\` of type \`${type}\` with hash ${manifestHash}, but the record sent has hash ${hash}. ${cause}`
}

export const snapshotRefusals = {
  unexpected_record: {
    kind: 'invalid',
    sentence: (f) =>
      `Line ${f.line}: ${f.manifestHash === undefined ? `the record has hash ${f.hash}, which is not in the manifest.` : otherHash(f)} None of this request was stored.`,
    meaning: 'the manifest does not have this record',
    explanation:
      'A record was sent to a snapshot push, but its hash is not in the manifest. If the manifest has the record with another hash, `manifestHash` is that hash, and the message names both.',
    remedy:
      'Send only records that the manifest names, unchanged since their hashes were computed. If the error has `manifestHash`, compare your canonical form with the one in [verifying](verifying.md#canonical-json): names are sorted as text, so `"10"` comes before `"2"`. A JavaScript object cannot keep that order: it puts names that are whole numbers first, in numeric order, so `JSON.stringify` of an object with sorted names hashes other bytes. `canonicalize` of `@ulmus/content` writes the right ones.',
    members: ({ z }) => ({
      ...recordNames(z),
      hash: z.string().meta({ description: 'hash of the record.' }),
      manifestHash: z
        .string()
        .meta({ description: 'hash that the manifest has for the record. Absent if it lacks the record.' }),
      line: z.int().meta({ description: 'the line, counted from 1.' }),
    }),
    example: { details: { line: 1, ...exampleRecordName, hash: exampleRecord.hash } },
  },
  records_missing: {
    kind: 'invalid',
    sentence: 'Records of the manifest are missing. Send them, then commit again.',
    meaning: 'records of the manifest are missing; `missing_hashes` lists them',
    explanation:
      'A snapshot cannot be committed before all its records have arrived; `missing_hashes` lists the first 100 missing ones.',
    remedy: 'Send them, then commit again.',
    members: ({ z }) => ({
      missing_hashes: z
        .array(z.string())
        .meta({ description: 'hashes of the first 100 missing records.', examples: [[exampleRecord.hash]] }),
      totalMissing: z.int().meta({ description: 'number of missing records.' }),
    }),
    example: { details: { missing_hashes: exampleNeeded, totalMissing: exampleNeeded.length } },
  },
  manifest_incomplete: {
    kind: 'invalid',
    sentence: (f) =>
      `The manifest has ${f.manifest_received} of ${f.manifest_expected} entries. Send the rest.`,
    meaning: 'the manifest is incomplete',
    explanation:
      'A snapshot cannot be committed while its manifest has fewer entries than `manifest_expected`.',
    remedy: 'Send the rest of the manifest, then commit again.',
    members: ({ z }) => ({
      manifest_received: z.int().meta({ description: 'entries received.' }),
      manifest_expected: z.int().meta({ description: 'entries expected.' }),
    }),
    example: { details: { manifest_received: 2, manifest_expected: 4 } },
  },
  manifest_conflict: {
    kind: 'invalid',
    sentence: (f) =>
      `The manifest has record \`${f.id}\` of type \`${f.type}\` with two hashes. Send each record once.`,
    meaning: 'a manifest has one (type, id) with two hashes',
    remedy: 'Send each (type, id) once.',
    members: ({ z }) => ({
      ...recordNames(z),
      hashes: z.array(z.string()).meta({ description: 'the two hashes.' }),
    }),
    example: { details: { ...exampleRecordName, hashes: [exampleRecord.hash, exampleNeeded[0]] } },
  },
} satisfies Readonly<Record<string, Refusal>>
