/**
 * Shapes for API keys. The raw key leaves the registry once, when it is created; all other answers have its first characters only.
 * docs/design: interface.md "API key"; http-api §3.
 */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { CollectionName, Id, Instant, Label } from './text.ts'

/** Rights of a key: each scope includes the weaker ones. operations/ names the least scope of each operation. */
export const Scope = z
  .enum(['read', 'write', 'admin'])
  .meta({ id: 'Scope', description: 'admin ⊃ write ⊃ read.' })
export type Scope = z.infer<typeof Scope>

/** Roles that a key can be capped at. */
export const RoleCap = z.enum(['member']).meta({
  id: 'RoleCap',
  description:
    'The key acts with this role at most, whatever its account has: it cannot delete collections, deprecate versions, or make collections public where only admins may.',
})

/** Limits of a key in answers. */
const limits = {
  collectionId: Id.nullable().meta({
    description: 'The collection of a key that is limited to one. Null: see `limited`.',
  }),
  limited: z.boolean().meta({ description: 'Whether the key works for some collections alone.' }),
  collections: z.array(z.string()).nullable().meta({
    description:
      'The collections of a limited key as `owner/slug`, without those that its account can no longer see. Null: it is not limited.',
  }),
}

/** `POST /api/accounts/keys` */
export const CreateKey = z
  .strictObject({
    label: Label,
    scope: Scope,
    collectionId: Id.nullish().meta({
      description: 'Limit the key to this collection. Give either this or `collections`.',
    }),
    collections: z
      .array(CollectionName)
      .min(1)
      .max(50)
      .optional()
      .meta({
        description:
          'Limit the key to these collections, each as `owner/slug`. A deleted one leaves the list; with the last of them the key is revoked.',
        examples: [['ada/cities', 'atlas/rivers']],
      }),
    roleCap: RoleCap.nullish().meta({
      description:
        'Cap of the role (default: that of the key that creates it; `member` for a limited key with scope `read` or `write`). Null: no cap. Not with scope `admin`.',
    }),
    expiresAt: z.iso.datetime({ offset: true }).nullish().meta({
      description: 'Expiry of the key (default: never, or the expiry of the key that creates it).',
    }),
  })
  .refine(({ collectionId, collections }) => collectionId == null || collections === undefined, {
    message: 'takes either `collectionId` or `collections`',
  })
  .meta({
    id: 'CreateKey',
    description: 'A new key.',
    examples: [{ label: 'Nightly import', scope: 'write' }],
  })
export type CreateKey = z.infer<typeof CreateKey>

/** Answer to creating a key: the only one that contains the raw key. */
export const CreatedKey = z
  .object({
    id: Id,
    key: z
      .string()
      .meta({ description: 'The raw key, which starts with `ul_`. Only this answer contains it.' }),
    label: z.string(),
    scope: Scope,
    ...limits,
    roleCap: RoleCap.nullable(),
    expiresAt: Instant.nullable(),
  })
  .meta({
    id: 'CreatedKey',
    description: 'The new key. Only this answer contains the raw key.',
    examples: [
      {
        id: exampleId,
        key: 'ul_4sHc0kqYt1mWbZr8uNfXe2pLd6vGj9aKoTi3xRyE7wQz5CS1',
        label: 'Nightly import',
        scope: 'write',
        collectionId: null,
        limited: false,
        collections: null,
        roleCap: null,
        expiresAt: null,
      },
    ],
  })
export type CreatedKey = z.infer<typeof CreatedKey>

/** An item of `GET /api/accounts/keys`. */
export const Key = z
  .object({
    id: Id,
    label: z.string(),
    scope: Scope,
    ...limits,
    roleCap: RoleCap.nullable(),
    start: z.string().meta({ description: 'The first 9 characters of the raw key.' }),
    createdAt: Instant,
    expiresAt: Instant.nullable(),
    lastUsedAt: Instant.nullable().meta({ description: 'Time of the last request, to the minute.' }),
  })
  .meta({
    id: 'Key',
    description: 'A key, without the raw key.',
    examples: [
      {
        id: exampleId,
        label: 'Nightly import',
        scope: 'write',
        collectionId: null,
        limited: false,
        collections: null,
        roleCap: null,
        start: 'ul_4sHc0k',
        createdAt: exampleInstant,
        expiresAt: null,
        lastUsedAt: exampleInstant,
      },
    ],
  })
export type Key = z.infer<typeof Key>
