/** Describes changes of types from one view to another in words. */
import {
  compareUtf8,
  type PlainSchema,
  parseJson,
  type Sentence,
  schemaChanges,
  type ViewRoots,
} from '@ulmus/content'
import { giveWay, type ObjectReader } from '@ulmus/storage'
import { countAnswer } from '../budgets/answer-budget.ts'
import { readSchemaObjects } from './schemas.ts'

/** Changes of one type, for the first page of a difference. */
export interface TypeChanges {
  type: string
  /** Each continues the name of the type: `is new`, "`wings` became required". */
  changes: Sentence[]
}

/** Types described; further ones are left out. */
const typesMax = 200
/** Sentences per type. */
const sentencesMax = 100
/** Larger schemas are not described: comparing two of them would block the event loop. Bytes. */
const schemaBytesMax = 65_536
const tooLarge = ['changed; its schema is too large to describe']

/** Describes the changes by type. @throws busy. */
export async function describeSchemaChanges(
  objects: ObjectReader,
  before: ViewRoots,
  after: ViewRoots,
): Promise<TypeChanges[]> {
  const names = [...new Set([...Object.keys(before.types), ...Object.keys(after.types)])]
  const types = names
    .filter((type) => schemaIn(before, type) !== schemaIn(after, type))
    .sort(compareUtf8)
    .slice(0, typesMax)
  const [was, is] = [await schemasIn(objects, before, types), await schemasIn(objects, after, types)]
  const described: TypeChanges[] = []
  for (const type of types) {
    await giveWay()
    const all =
      was.get(type) === null || is.get(type) === null ? tooLarge : sentencesOf(was.get(type), is.get(type))
    const more = all.length > sentencesMax ? [`changed in ${all.length - sentencesMax} more ways`] : []
    const changes = [...all.slice(0, sentencesMax), ...more]
    countAnswer(changes.reduce((sum, { length }) => sum + length, type.length))
    described.push({ type, changes })
  }
  return described
}

const sentencesOf = (was: PlainSchema | null | undefined, is: PlainSchema | null | undefined): Sentence[] =>
  schemaChanges(was ?? undefined, is ?? undefined)

/** Use hasOwn: a type may be called `constructor`. */
const schemaIn = ({ types }: ViewRoots, type: string) =>
  Object.hasOwn(types, type) ? types[type]!.schema : undefined

/** Schemas of the types; null for those too large to parse. */
async function schemasIn(
  objects: ObjectReader,
  roots: ViewRoots,
  types: readonly string[],
): Promise<Map<string, PlainSchema | null>> {
  const wanted = Object.fromEntries(
    types.filter((type) => Object.hasOwn(roots.types, type)).map((type) => [type, roots.types[type]!]),
  )
  const schemas = new Map<string, PlainSchema | null>()
  for await (const { type, bytes } of readSchemaObjects(objects, { ...roots, types: wanted })) {
    const text = bytes.length > schemaBytesMax ? null : Buffer.from(bytes).toString()
    schemas.set(type, text === null ? null : (parseJson(text) as PlainSchema))
  }
  return schemas
}
