/**
 * Shapes for forking a collection: a fork starts with the latest version of its source, and shares its data with it. docs/design:
 * interface.md "Fork"; http-api §6.
 */
import { z } from 'zod'
import { ForkedFrom } from './collections.ts'
import { exampleId } from './examples.ts'
import { Count, Id, SemverText } from './text.ts'

/** `POST /api/collections/:owner/:slug/fork` */
export const CreateFork = z
  .strictObject({
    targetOrg: z
      .string()
      .optional()
      .meta({ description: 'Slug of the organization to fork into (default: the account of the caller).' }),
    slug: z.string().optional().meta({ description: 'Slug of the fork (default: the slug of the source).' }),
    public: z.boolean().optional().meta({
      description:
        'False: make the fork of a public collection private (default: the visibility of the source).',
    }),
    view: z.enum(['public']).optional().meta({
      description:
        '`public`: fork the public view alone, which leaves out all private content, so that every reader of a public collection can (default: both views, for members of its owner and for collections without private content).',
    }),
  })
  .meta({
    id: 'CreateFork',
    description: 'Target of a fork.',
    examples: [{ targetOrg: 'atlas', slug: 'world-cities' }],
  })
export type CreateFork = z.infer<typeof CreateFork>

/** Answer 201 to a fork. */
export const Fork = z
  .object({
    id: Id,
    owner: z.string(),
    slug: z.string(),
    name: z.string(),
    forkedFrom: ForkedFrom,
    version: z.object({ semver: SemverText, recordCount: Count }),
  })
  .meta({
    id: 'Fork',
    description: 'The new collection, its source and its first version.',
    examples: [
      {
        id: exampleId,
        owner: 'atlas',
        slug: 'world-cities',
        name: 'Cities of the world',
        forkedFrom: { owner: 'ada', slug: 'cities', version: 'v1.0.0' },
        version: { semver: 'v1.0.0', recordCount: 2 },
      },
    ],
  })
export type Fork = z.infer<typeof Fork>

const relative = {
  owner: z.string(),
  slug: z.string(),
  name: z.string(),
  public: z.boolean(),
  version: SemverText.meta({ description: 'Version of the source that the fork began with.' }),
  latest: SemverText.nullable().meta({ description: 'Its latest version; null if it has none.' }),
  behind: Count.meta({
    description: 'Versions of the source after `version`, withdrawn ones left out; at most 1,000.',
  }),
}
const exampleFork = {
  owner: 'atlas',
  slug: 'world-cities',
  name: 'Cities of the world',
  public: true,
  version: 'v1.0.0',
  latest: 'v1.1.0',
  behind: 2,
}

/** `GET …/family` */
export const Family = z
  .object({
    source: z
      .object(relative)
      .nullable()
      .meta({ description: 'Source of a fork. Null if it is no fork, or the caller cannot see its source.' }),
    forks: z.array(z.object(relative)).meta({
      description: 'Direct forks that the caller can see, the most recently changed first; at most 100.',
    }),
    publicForks: Count.meta({ description: 'Public forks, direct and indirect.' }),
  })
  .meta({
    id: 'Family',
    description: 'The source and the forks of a collection.',
    examples: [{ source: null, forks: [exampleFork], publicForks: 1 }],
  })
export type Family = z.infer<typeof Family>
