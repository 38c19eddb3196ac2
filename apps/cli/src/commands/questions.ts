/** Commands for saved questions. */
import { buildRouteMap } from '@stricli/core'
import type { ChangeQuestion, CreateQuestion, SavedQuestion } from '@ulmus/wire'
import { command, noun } from '../command.ts'
import { flag, required, several, text } from '../parameters.ts'
import { parseReference, pathOf, type Reference } from '../reference.ts'
import { usageError } from '../terminal/failure.ts'
import { shellWord } from '../terminal/shell-word.ts'
import { table } from '../terminal/table.ts'
import { whileBuilding } from './tables/building.ts'
import { writeBody } from './tables/rows.ts'

const collection = required('owner/slug', 'Collection')
const slug = required('question', 'Slug of the question, from `ulmus questions list`')

/** `ulmus questions list REF` */
const list = command<Record<never, never>, [reference: string]>({
  brief: 'List the saved questions',
  page: 'List the [saved questions](saved-questions.md): slug, name, version, since which version the answer is the same, readers, and the query or statement',
  positional: { kind: 'tuple', parameters: [collection] },
  run: async (call, flags, given) => {
    const reference = parseReference(given)
    const { client } = await call.connect({ host: reference.host })
    const questions = await client.questions.list(pathOf(reference))
    if (flags.json) return call.json(questions)
    await table(
      call,
      ['question', 'name', 'form', 'version', 'since', 'for', 'asks'],
      questions.map((one) => [
        ...[one.slug, one.name, one.view, one.version, one.since ?? ''],
        ...[one.public ? 'everyone' : 'members', asks(one)],
      ]),
    )
  },
})

const asks = ({ sql, type, query }: SavedQuestion): string =>
  sql?.replace(/\s+/g, ' ') ?? (query === '' ? `${type}` : `${type}: ${query}`)

type QuestionFlags = {
  readonly sql?: string
  readonly where?: readonly string[]
  readonly search?: string
  readonly sort?: string
  readonly columns?: string
  readonly view?: 'table' | 'chart' | 'map'
  readonly public: boolean
}

const questionFlags = {
  sql: text('statement', 'A SELECT statement, in place of a query'),
  where: several('filter', 'Filter: "population gt 1000000"'),
  search: text('words', 'Words that records must contain'),
  sort: text('fields', 'Fields to sort by, - for descending'),
  columns: text('fields', 'Fields to return'),
  view: {
    kind: 'enum',
    values: ['table', 'chart', 'map'],
    optional: true,
    brief: 'Form of the answer (default: table)',
  },
  public: flag('Let all readers of the collection see it'),
} as const

/** Query of the page of records; undefined if no flag is given. */
function queryIn({ where = [], search, sort, columns }: QuestionFlags): string | undefined {
  const query = new URLSearchParams(where.map((filter) => ['filter', filter]))
  for (const [name, value] of Object.entries({ q: search, sort, columns }))
    if (value !== undefined) query.append(name, value)
  return query.size === 0 ? undefined : String(query)
}

/** @throws CommandError (usage) if flags exclude each other */
function questionIn({ type, version }: Reference, flags: QuestionFlags): ChangeQuestion {
  const query = queryIn(flags)
  if (flags.sql !== undefined && (query !== undefined || type !== undefined))
    throw usageError('--sql is the whole question. Leave out the type and the flags of a query.')
  return {
    ...(flags.sql === undefined ? {} : { sql: flags.sql }),
    ...(type !== undefined && { type }),
    ...(query !== undefined && { query }),
    ...(version !== undefined && { version }),
    ...(flags.view !== undefined && { view: flags.view }),
  }
}

/** `ulmus questions save REF NAME` */
const save = command<QuestionFlags, [reference: string, name: string]>({
  brief: 'Save a question',
  description:
    'Saves a query about the records of a type, or an SQL statement. A version in the reference is the one that it always asks; without, each latest version is asked.',
  examples: [
    'ulmus questions save mercator/countries#Country "Large countries" --where "area gt 1000000" --sort=-area --public',
    'ulmus questions save mercator/countries@v1.1.0 "By region" --sql "SELECT region, count(*) FROM Country GROUP BY region"',
  ],
  page: 'Save a query about a type (`--where`, `--search`, `--sort`, `--columns`) or a statement (`--sql`), with `--view` (`table`, `chart`, `map`), and `--public` for all readers',
  flags: questionFlags,
  positional: {
    kind: 'tuple',
    parameters: [
      required('owner/slug#Type', 'Collection and type; for a statement, the collection'),
      required('name', 'Name of the question'),
    ],
  },
  run: async (call, flags, given, name) => {
    const reference = parseReference(given)
    const wanted = { name, public: flags.public, ...questionIn(reference, flags) }
    if (wanted.sql === undefined && wanted.type === undefined)
      throw usageError('Name the type of the records, or give a statement with --sql.', [
        `ulmus questions save ${shellWord(`${pathOf(reference)}#Type`)} …`,
      ])
    const { client } = await call.connect({ host: reference.host })
    const made = await client.questions.save(pathOf(reference), wanted as CreateQuestion)
    if (flags.json) return call.json(made)
    await call.line(made.slug)
  },
})

type ChangeFlags = QuestionFlags & { readonly name?: string; readonly private: boolean }

/** `ulmus questions change REF QUESTION` */
const change = command<ChangeFlags, [reference: string, question: string]>({
  brief: 'Change a saved question',
  page: 'Change a saved question: the flags of `save`, `--name`, `--private`',
  flags: {
    ...questionFlags,
    name: text('name', 'Another name; the slug stays'),
    private: flag('Show it to members and collaborators only'),
  },
  positional: { kind: 'tuple', parameters: [collection, slug] },
  run: async (call, flags, given, question) => {
    if (flags.public && flags.private)
      throw usageError('--public and --private exclude each other. Use one of them.')
    const reference = parseReference(given)
    const changes = {
      ...questionIn(reference, flags),
      ...(flags.name !== undefined && { name: flags.name }),
      ...((flags.public || flags.private) && { public: flags.public }),
    }
    if (Object.keys(changes).length === 0) throw usageError('Nothing to change. Give a flag, such as --name.')
    const { client } = await call.connect({ host: reference.host })
    const changed = await client.questions.change(pathOf(reference), question, changes)
    if (flags.json) return call.json(changed)
    call.say(`The question ${changed.slug} is changed.`)
  },
})

/** `ulmus questions answer REF QUESTION` */
const answer = command<Record<never, never>, [reference: string, question: string]>({
  brief: 'Write the answer of a saved question as CSV',
  examples: ['ulmus questions answer mercator/countries large-countries > large.csv'],
  page: 'Write the answer as CSV, or as JSON with `--json`',
  positional: { kind: 'tuple', parameters: [collection, slug] },
  run: async (call, flags, given, question) => {
    const reference = parseReference(given)
    const { client } = await call.connect({ host: reference.host })
    const asked = [pathOf(reference), question] as const
    if (flags.json)
      return call.json(
        await whileBuilding(call, flags, (options) => client.questions.answer(...asked, options)),
      )
    const csv = await whileBuilding(call, flags, (options) => client.questions.csv(...asked, options))
    await writeBody(call, csv, { isCsv: true })
  },
})

/** `ulmus questions remove REF QUESTION` */
const remove = command<Record<never, never>, [reference: string, question: string]>({
  brief: 'Remove a saved question',
  page: 'Remove a saved question',
  positional: { kind: 'tuple', parameters: [collection, slug] },
  run: async (call, flags, given, question) => {
    const reference = parseReference(given)
    const { client } = await call.connect({ host: reference.host })
    const done = await client.questions.remove(pathOf(reference), question)
    if (flags.json) return call.json(done)
    call.say('The question is removed.')
  },
})

const questions = buildRouteMap({
  docs: { brief: 'Saved questions of a collection' },
  routes: { list, save, answer, change, remove },
})

export default noun({
  section: 'Reading',
  words: {
    questions: {
      command: questions,
      group: 'Read',
      place: 45,
      line: ['questions', 'save questions, and answer them again'],
    },
  },
})
