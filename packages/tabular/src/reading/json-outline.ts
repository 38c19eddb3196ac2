/** Finds the rows in a JSON file: a list, a list inside an object, or an object whose members are the rows. */
import { JsonWalker, type ValueKind, type Visitor } from './json-walker.ts'
import type { Choice, Note, ReadOptions } from './options.ts'
import type { FileSource } from './source.ts'
import { rowCharactersMax } from './table.ts'
import { errorAt, shown } from './table-error.ts'
import { textsOf } from './texts.ts'

/** `items` of a list, `members` of an object, or `one`: the whole object is a single row. */
export interface RowsLocation {
  readonly rows: 'items' | 'members' | 'one'
  /** Names on the path to the list or object. */
  readonly path: readonly string[]
  /** Name for the column of member names; no sampled member has it. */
  readonly keyName: string
  readonly notes: readonly Note[]
}

/** Maximum of levels searched for rows. */
const levelsMax = 4
/** Maximum of members compared per object. */
const sampledMax = 50
/** Maximum of remembered objects and lists. */
const containersMax = 2_000
/** An object with at least this many values of one kind is a map, not a record. */
const mapMin = 20

/** An object or a list near the root. */
interface Container {
  readonly path: readonly string[]
  readonly isList: boolean
  readonly kinds: Partial<Record<ValueKind, number>>
  /** By name: number of the sampled members, all of them objects, that have a member of this name. */
  readonly names: Map<string, number>
  sampled: number
}

const countOf = ({ kinds }: Container): number =>
  Object.values(kinds).reduce((sum: number, count) => sum + count, 0)

/** @throws TableError if there are no rows, or several lists that may be the rows */
export async function findRows(
  source: FileSource,
  encoding: string,
  given: ReadOptions,
): Promise<RowsLocation> {
  const outline = new Outline()
  const walker = new JsonWalker(outline, rowCharactersMax)
  for await (const text of textsOf(source, encoding)) {
    walker.push(text)
    if (walker.fault !== undefined) throw errorAt(source.name, walker.fault)
    // For a file that is one list, the first item is enough.
    if (outline.root?.isList === true) break
  }
  if (outline.root === undefined) {
    walker.end()
    throw errorAt(source.name, 'The file must hold a list of objects.')
  }
  if (!outline.root.isList) walker.end()
  if (walker.fault !== undefined) throw errorAt(source.name, walker.fault)
  if (given.records !== undefined) return namedRows(source.name, outline, given.records)
  return chosenRows(source.name, outline)
}

class Outline implements Visitor {
  readonly containers: Container[] = []
  readonly #open = new Map<string, Container>()
  root: Container | undefined

  visit(path: readonly (string | undefined)[], kind: ValueKind): 'enter' | 'pass' {
    if (path.length > 0) this.#count(path, kind)
    const isNear =
      path.length < levelsMax && !path.includes(undefined) && this.containers.length < containersMax
    if (kind !== 'object' && kind !== 'list') return 'pass'
    if (!isNear) return 'pass'
    const container = {
      path: path as string[],
      isList: kind === 'list',
      kinds: {},
      names: new Map(),
      sampled: 0,
    }
    const own: Container = { ...container, path: [...container.path] }
    this.containers.push(own)
    this.#open.set(JSON.stringify(path), own)
    this.root ??= own
    return 'enter'
  }

  #count(path: readonly (string | undefined)[], kind: ValueKind): void {
    const parent = this.#open.get(JSON.stringify(path.slice(0, -1)))
    if (parent === undefined) return
    parent.kinds[kind] = (parent.kinds[kind] ?? 0) + 1
    if (kind === 'object') parent.sampled++
    const above = path.length < 2 ? undefined : this.#open.get(JSON.stringify(path.slice(0, -2)))
    const name = path.at(-1)
    if (above === undefined || name === undefined || above.sampled > sampledMax) return
    above.names.set(name, (above.names.get(name) ?? 0) + 1)
  }

  take(): void {}
}

const isRowsList = ({ isList, kinds }: Container): boolean =>
  isList &&
  ((kinds.object ?? 0) > 0 || (kinds.list ?? 0) > 0) &&
  kinds.text === undefined &&
  kinds.scalar === undefined

/** True if an object's members are objects with similar members: their names are ids. */
function isKeyed(container: Container): boolean {
  const { isList, kinds, names, sampled } = container
  const count = kinds.object ?? 0
  if (isList || count < 2 || count < countOf(container)) return false
  const members = Math.min(sampled, sampledMax)
  const common = [...names.values()].filter((times) => times * 2 > members).length
  const mean = [...names.values()].reduce((sum, times) => sum + times, 0) / members
  return mean === 0 || common >= Math.max(1, mean / 3)
}

const isMap = (container: Container): boolean =>
  !container.isList &&
  Object.keys(container.kinds).length === 1 &&
  (container.kinds.text ?? container.kinds.scalar ?? 0) >= mapMin

function keyNameOf({ names }: Container): string {
  let name = 'key'
  while (names.has(name)) name = `_${name}`
  return name
}

const choiceOf = (container: Container): Choice => {
  const records = container.path.length === 0 ? '.' : container.path.join('.')
  const what = container.isList
    ? `the list ${shown(records)}`
    : `the members of ${container.path.length === 0 ? 'the object' : shown(records)}`
  return { label: `Read ${what} (${countOf(container)})`, options: { records } }
}

function located(container: Container, sentence?: string, others: readonly Container[] = []): RowsLocation {
  const choices = [container, ...others.filter((other) => other !== container)].map(choiceOf)
  return {
    rows: container.isList ? 'items' : 'members',
    path: container.path,
    keyName: keyNameOf(container),
    notes: sentence === undefined ? [] : [{ option: 'records', sentence, isUncertain: false, choices }],
  }
}

function namedRows(file: string, { containers }: Outline, records: string): RowsLocation {
  const found = containers.find(({ path }) => (path.length === 0 ? '.' : path.join('.')) === records)
  if (found !== undefined) return located(found)
  const known = containers.filter((one) => isRowsList(one) || isKeyed(one)).map(choiceOf)
  throw errorAt(file, `There is no list and no object ${shown(records)} in the file.`, {}, 'item', known)
}

function chosenRows(file: string, { containers, root }: Outline): RowsLocation {
  if (root!.isList) return located(root!)
  const lists = containers.filter(isRowsList)
  if (isKeyed(root!) || isMap(root!)) {
    const key = keyNameOf(root!)
    return located(
      root!,
      `The file is an object: each member is a row, and its name is the column ${shown(key)}.`,
      lists,
    )
  }
  for (let level = 1; level < levelsMax; level++) {
    const here = lists.filter(({ path }) => path.length === level)
    if (here.length > 1) {
      const several = here.map(({ path }) => path.join('.'))
      const sentence = `The object holds several lists of objects: ${several.slice(0, 10).map(shown).join(', ')}. Choose one.`
      throw errorAt(file, sentence, {}, 'item', here.map(choiceOf))
    }
    if (here[0] !== undefined)
      return located(here[0], `The rows are the list ${shown(here[0].path.join('.'))}.`, [root!])
    const keyed = containers.filter((one) => one.path.length === level && isKeyed(one))
    if (keyed.length === 1)
      return located(
        keyed[0]!,
        `The rows are the members of ${shown(keyed[0]!.path.join('.'))}, and their names are the column ${shown(keyNameOf(keyed[0]!))}.`,
        [root!],
      )
  }
  return emptyList(containers, root!) ?? wholeObject(root!)
}

/** An empty list, if nothing else can be the rows. */
function emptyList(containers: readonly Container[], root: Container): RowsLocation | undefined {
  const empty = containers.filter((one) => one.isList && one.path.length === 1 && countOf(one) === 0)
  const isWrapper =
    countOf(root) === 1 || /^(?:data|features|items|records|results|rows)$/.test(empty[0]?.path[0] ?? '')
  return empty.length === 1 && isWrapper ? located(empty[0]!) : undefined
}

function wholeObject(root: Container): RowsLocation {
  const sentence = 'The file is one object, and is read as one row.'
  const note: Note = { option: 'records', sentence, isUncertain: false, choices: [choiceOf(root)] }
  return { rows: 'one', path: [], keyName: keyNameOf(root), notes: [note] }
}
