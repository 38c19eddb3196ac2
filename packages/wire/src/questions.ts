/** Shapes of saved questions: a query or an SQL statement about a collection, by name. docs/saved-questions.md */
import { z } from 'zod'
import { exampleInstant } from './examples.ts'
import { CollectionPath } from './paths.ts'
import { SqlAnswer } from './sql.ts'
import { RowsPage } from './tables.ts'
import { Instant, Name, SemverText } from './text.ts'

/** Characters of a statement or a query. */
const askMax = 8_000

/** A text of `min` to `max` characters that the database can store. */
const stored = (max: number, min = 0) =>
  z
    .string()
    .min(min)
    .max(max)
    .refine((text) => text.isWellFormed() && !text.includes('\0'), 'must be Unicode without NUL')

const sql = stored(askMax, 1).meta({
  description:
    'A SELECT statement, as in `…/sql`. Give either `sql`, or `type` and `query`. At most 8,000 characters.',
  examples: ['SELECT country, count(*) AS cities FROM "City" GROUP BY country'],
})
const query = stored(askMax).meta({
  description:
    'A query about the records of `type`, as in the URL of their page: `q`, `filter`, `sort` and `columns`, `x`, `y` and `by` for a chart, and `coordinates` for a map. Empty: all records.',
  examples: ['sort=name'],
})
const type = stored(1_000, 1).meta({ description: 'Type of the records.', examples: ['Country'] })
const view = z.enum(['table', 'chart', 'map']).meta({ description: 'Form of the answer (default: `table`).' })
const version = z
  .string()
  .regex(/^(?:latest|v?\d{1,9}\.\d{1,9}\.\d{1,9})$/, 'must be `latest` or a number such as `v1.2.0`')
  .meta({
    description: '`latest` (the default): the answer follows the collection. A number: it never changes.',
    examples: ['latest'],
  })
const isPublic = z.boolean().meta({
  description:
    'True: all readers of the collection see it. Its answer must be possible from what they may read. False (the default): only members of the owner and collaborators.',
})

/** `POST …/questions` */
export const CreateQuestion = z
  .strictObject({
    name: Name,
    sql: sql.optional(),
    type: type.optional(),
    query: query.optional(),
    view: view.optional(),
    version: version.optional(),
    public: isPublic.optional(),
  })
  .refine(
    ({ sql, type, query }) =>
      sql === undefined ? type !== undefined : type === undefined && query === undefined,
    {
      path: ['sql'],
      message: 'must be given alone, or `type` with `query` in its place',
    },
  )
  .meta({
    id: 'CreateQuestion',
    description: 'A question to save.',
    examples: [{ name: 'Countries by name', type: 'Country', query: 'sort=name' }],
  })
export type CreateQuestion = z.infer<typeof CreateQuestion>

/** `PATCH …/questions/:question`: only the fields to change. */
export const ChangeQuestion = z
  .strictObject({
    name: Name.optional(),
    sql: sql.optional(),
    type: type.optional(),
    query: query.optional(),
    view: view.optional(),
    version: version.optional(),
    public: isPublic.optional(),
  })
  .refine(({ sql, type, query }) => sql === undefined || (type === undefined && query === undefined), {
    path: ['sql'],
    message: 'must be given alone, or `type` with `query` in its place',
  })
  .meta({
    id: 'ChangeQuestion',
    description:
      'Fields to change. `sql` replaces `type` and `query`; `type`, with `query` or without, replaces `sql`.',
    examples: [{ public: true }],
  })
export type ChangeQuestion = z.infer<typeof ChangeQuestion>

export const SavedQuestion = z
  .object({
    slug: z.string().meta({ description: 'Its name in paths, which stays when `name` changes.' }),
    name: z.string(),
    sql: z.string().nullable().meta({ description: 'Null: a query.' }),
    type: z.string().nullable().meta({ description: 'Null: a statement.' }),
    query: z.string().nullable(),
    view,
    version: z.string().meta({ description: '`latest`, or a number.' }),
    semver: SemverText.nullable().meta({
      description: 'Number of the version that it asks now. Null before the first version.',
    }),
    since: SemverText.nullable().meta({
      description:
        'The version that brought the present answer, or that was the latest when the question was saved or changed, if the answer is the same since. It is the answer for all readers if the question is public, and for members and collaborators otherwise; of a query, its first 1,000 records. Null: not compared yet, or about a fixed version.',
    }),
    public: z.boolean(),
    createdAt: Instant,
    updatedAt: Instant,
  })
  .meta({
    id: 'SavedQuestion',
    description: 'A saved question.',
    examples: [
      {
        slug: 'countries-by-name',
        name: 'Countries by name',
        sql: null,
        type: 'Country',
        query: 'sort=name',
        view: 'table',
        version: 'latest',
        semver: 'v1.2.0',
        since: 'v1.1.0',
        public: true,
        createdAt: exampleInstant,
        updatedAt: exampleInstant,
      },
    ],
  })
export type SavedQuestion = z.infer<typeof SavedQuestion>

/** `…/questions/:question` */
export const QuestionPath = CollectionPath.extend({
  question: z.string().meta({
    description: 'Slug of the question, from the list of questions.',
    examples: ['countries-by-name'],
  }),
})
export type QuestionPath = z.infer<typeof QuestionPath>

/** `GET …/questions/:question/answer` */
export const QuestionAnswerQuery = z.strictObject({
  format: z
    .enum(['json', 'csv'])
    .default('json')
    .meta({ description: 'Form of the answer (default: `json`).', examples: ['csv'] }),
  view: z
    .literal('public')
    .optional()
    .meta({
      description: 'For members and collaborators: answer as for other readers.',
      examples: ['public'],
    }),
})
export type QuestionAnswerQuery = z.infer<typeof QuestionAnswerQuery>

/** Records of a query in JSON; CSV has all. */
export const answerRecordsMax = 1_000

export const QuestionAnswer = z.union([SqlAnswer, RowsPage]).meta({
  id: 'QuestionAnswer',
  description:
    'Rows of a statement (up to 10,000, and 16 MiB), as from `…/sql`, or the first 1,000 records of a query, as from `…/rows`.',
  examples: [
    {
      columns: [
        { name: 'country', type: 'VARCHAR' },
        { name: 'cities', type: 'BIGINT' },
      ],
      rows: [['NOR', 1]],
      truncated: false,
      ms: 1.5,
    },
  ],
})
export type QuestionAnswer = z.infer<typeof QuestionAnswer>
