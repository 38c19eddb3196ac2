/** Shapes of the signed log: its keys, statements about collections, proofs. docs/design/http-api.md §15. */
import { z } from 'zod'
import { exampleInstant } from './examples.ts'
import { Count, Instant } from './text.ts'

const exampleVkey = 'registry.example/log/1+32902153+AQOhB7/zzhC+HXDdGOdLwJln5NYwm6UNXx3chmQSVTG4'

const salt = 'ERERERERERERERERERERERERERERERERERERERERERE='
const exampleStatement =
  '{"at":"2026-11-25T14:00:00.000Z","collection":"019ab0ef-6f7e-7c3a-9a55-6f2c1f2b9d10","full":"34a8c11cde8a3f19fa79b8cf2ecae53dd227b23975fc5509af24ff5e071777b6","kind":"version","name":"ada/birds","prev":null,"public":"b09ab9abad3bbf09958557ee53287a63b9971cd388049540a6544c7740fdc485","semver":"v1.0.0","seq":1}'
const place = {
  index: Count.meta({ description: 'Place of the leaf in the log, from 0 on.' }),
  seq: z.int().min(1).meta({ description: 'Number of the statement in its collection, from 1 on.' }),
}
const chain = z
  .string()
  .meta({ description: 'For a leaf that begins a chain of keys: the end of that chain, 32 bytes in base64.' })
const commitment = z.string().meta({
  description:
    'For a leaf that begins a chain of keys: SHA-256 of salt and statement, in base64. The leaf has SHA-256 of `chain` and this.',
})
const key = z.string().nullable().meta({
  description:
    'Key of the slot, 32 bytes in base64: SHA-256 of `ulmus slot\\n` and the key is the slot in the leaf. Null for the first statement, whose slot follows from the id of the collection.',
})
const next = z.string().meta({
  description:
    'Key of the next slot of the collection. A leaf in it is a statement that the registry does not list.',
})
const link = { index: place.index, key, chain, commitment }
const linksWords = 'Leaves of the collection before this one that begin chains of keys.'
const opened = { ...place, key, chain: chain.optional(), commitment: commitment.optional() }
const stated = {
  ...opened,
  statement: z.string().meta({ description: 'The statement, canonical JSON (JCS).' }),
  salt: z.string().meta({
    description: '32 bytes in base64. SHA-256 of them and the statement is the commitment in the leaf.',
  }),
  fullSalt: z.string().optional().meta({
    description:
      'For members and collaborators: 32 bytes in base64. SHA-256 of them and the 32 bytes of the private digest is `full` of the statement.',
  }),
}
const exampleChain = 'PVDk7Rz47denoUCH6MNHmWj6kAC5gscmcAWvptK8ZtM='
const exampleCommitment = 'PT9Sr7VcTlxBntmrPXJL2mntByFhNWFiQX7/THVFN8U='
const [exampleKey, exampleNext] = [
  'gCIItfa9PfYzNCMgsQUBbxWPh7kfnU5rKS/EbtjwbqU=',
  'wcS6bMX+KlajTjtvFw/7viIs8UOXRa06RjSL3VK3rK4=',
]
const example = {
  ...{ index: 0, seq: 1, key: null, chain: exampleChain, commitment: exampleCommitment },
  ...{ statement: exampleStatement, salt },
}

export const LogFacts = z
  .object({
    origin: z.string().meta({ description: 'Name of the log, the first line of its checkpoints.' }),
    size: Count.meta({ description: 'Number of leaves in the latest checkpoint.' }),
    keys: z
      .array(
        z.object({
          vkey: z.string().meta({ description: 'Public key, as `name+id+key` (C2SP signed-note).' }),
          since: Instant,
          until: Instant.nullable().meta({ description: 'When it stops to sign; null: not known.' }),
          ...stated,
          links: z.array(z.object(link)).meta({ description: linksWords }),
        }),
      )
      .meta({ description: 'Keys that sign, or have signed, the oldest first.' }),
    witness: z.string().nullable().meta({
      description: 'Public key with which this registry cosigns the logs of others that it witnesses.',
    }),
  })
  .meta({
    id: 'LogFacts',
    description: 'The signed log of this registry. Its checkpoint is at `/log/checkpoint`.',
    examples: [
      {
        origin: 'registry.example/log/1',
        size: 3,
        keys: [{ vkey: exampleVkey, since: exampleInstant, until: null, ...example, links: [] }],
        witness: null,
      },
    ],
  })
export type LogFacts = z.infer<typeof LogFacts>

export const VersionInLog = z
  .object({
    ...stated,
    links: z
      .array(
        z.object({
          ...link,
          path: z
            .array(z.string())
            .meta({ description: 'Hashes from the leaf to the root of the checkpoint, in base64.' }),
        }),
      )
      .meta({ description: linksWords }),
    proof: z.string().meta({
      description: 'Proof that the leaf is in the log, with a signed checkpoint (C2SP tlog-proof).',
    }),
  })
  .meta({
    id: 'VersionInLog',
    description: 'The statement that made a version, and its proof.',
    examples: [
      {
        ...example,
        links: [],
        proof:
          'c2sp.org/tlog-proof@v1\nindex 0\n\nregistry.example/log/1\n1\nuRmXg1m/Q/DYU91n9XtG+XJoiUgYnfJFVGPSGZNongw=\n\n— registry.example/log/1 MpAhU5aJ…\n',
      },
    ],
  })
export type VersionInLog = z.infer<typeof VersionInLog>

export const LogStatement = z
  .union([
    z.object({ ...stated, next }),
    z.object({
      ...opened,
      next,
      erased: z.literal(true).meta({ description: 'Statement and salts were erased.' }),
    }),
  ])
  .meta({
    id: 'LogStatement',
    description: 'A statement about a collection, or the place of an erased one.',
    examples: [
      { ...example, next: exampleKey },
      { index: 7, seq: 2, key: exampleKey, next: exampleNext, erased: true },
    ],
  })
export type LogStatement = z.infer<typeof LogStatement>

export const LogQuery = z.strictObject({
  after: z.coerce
    .number()
    .int()
    .min(0)
    .max(Number.MAX_SAFE_INTEGER)
    .default(0)
    .meta({
      description: 'Only statements after this number.',
      examples: [100],
    }),
})
