/** Shapes of events: changes of collections, versions and answers. docs/design/http-api.md §12. */
import { z } from 'zod'
import { exampleId, exampleInstant } from './examples.ts'
import { bumps, eventKinds } from './names.ts'
import { Id, Instant } from './text.ts'

const exampleEvent = {
  seq: 4711,
  at: exampleInstant,
  kind: 'version.made',
  collection: { id: exampleId, owner: 'ada', slug: 'cities' },
  semver: 'v1.1.0',
  bump: 'minor',
  url: 'https://registry.example/api/collections/ada/cities/versions/v1.1.0',
}

export const RegistryEvent = z
  .object({
    seq: z.int().meta({ description: 'Number of the event. Later events have higher numbers.' }),
    at: Instant,
    kind: z.enum(eventKinds),
    collection: z.object({
      id: Id,
      owner: z.string().meta({ description: 'Slug of the owner at that time.' }),
      slug: z.string().meta({ description: 'Slug of the collection at that time.' }),
    }),
    semver: z.string().optional().meta({
      description: 'Of a version: its number. Of `question.changed`: the version that brought the answer.',
    }),
    question: z.string().optional().meta({
      description: 'Of `question.changed`: the slug of the saved question.',
    }),
    bump: z.enum(bumps).optional().meta({
      description: 'Of `version.made`: the part of the number that it raised. A first version has `major`.',
    }),
    deprecated: z.boolean().optional().meta({
      description: 'Of `version.deprecated`: whether readers are warned from then on.',
    }),
    formerly: z.string().optional().meta({
      description: 'Of `collection.renamed` and `collection.transferred`: the former `owner/slug`.',
    }),
    public: z.boolean().optional().meta({
      description: 'Of `collection.visibility`: whether the collection was made public.',
    }),
    url: z
      .string()
      .meta({ description: 'Address of the version, the question or the collection in this API.' }),
  })
  .meta({
    id: 'RegistryEvent',
    description: 'A change of a collection, of a version, or of the answer to a saved question.',
    examples: [exampleEvent],
  })
export type RegistryEvent = z.infer<typeof RegistryEvent>

export const EventPage = z
  .object({
    events: z.array(RegistryEvent).meta({ description: 'At most 100, the oldest first.' }),
    next: z.int().meta({ description: 'Pass it as `after` of the next request.' }),
  })
  .meta({
    id: 'EventPage',
    description: 'Events that the caller may see.',
    examples: [{ events: [exampleEvent], next: 4711 }],
  })
export type EventPage = z.infer<typeof EventPage>

const place = z.stringFormat('owner/slug', /^[^/]{1,100}\/[^/]{1,100}$/)

export const EventsQuery = z.strictObject({
  after: z
    .union([z.literal('latest'), z.coerce.number().int().min(0).max(Number.MAX_SAFE_INTEGER)])
    .optional()
    .meta({
      description:
        'Only events after this number, which is `next` of the answer before. `latest`: only those from now on. Default: all that are kept.',
      examples: [4711],
    }),
  collection: place
    .optional()
    .meta({ description: 'Only events of this collection, as `owner/slug`.', examples: ['ada/cities'] }),
  owner: z
    .string()
    .min(1)
    .optional()
    .meta({ description: 'Only events of collections that this account owned then.', examples: ['ada'] }),
  kind: z
    .enum(eventKinds)
    .optional()
    .meta({ description: 'Only events of this kind.', examples: ['version.made'] }),
  wait: z.coerce
    .number()
    .int()
    .min(0)
    .max(30)
    .optional()
    .meta({
      description: 'Seconds to wait for an event if there is none yet. Default 0.',
      examples: [30],
    }),
})
