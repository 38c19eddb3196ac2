/** Renders a value of a record: short in tables, complete on the record's page. */

import type { VisitedCollection } from '../../data/collection.ts'
import { besideFiles, type FileReference, type NamedFile, referencesIn } from '../../data/files.ts'
import { counted, cutText, numberText, shownJson } from '../../format.ts'
import { recordPath } from '../../paths.ts'
import { FileCell, FileLink, FileView } from '../file.tsx'
import { Name } from '../small.tsx'
import { type Cell, Text } from './text.tsx'
import { Tree } from './tree.tsx'

interface Props {
  readonly value: unknown
  readonly seen: VisitedCollection
  /** Type of the referenced records; undefined: the value is not a reference. */
  readonly refersTo?: string | undefined
  /** Labels of referenced records, by `type/id`. Default: their ids. */
  readonly names?: ReadonlyMap<string, string>
  /** Known files by hash, which are rendered; others are linked. Default: none. */
  readonly files?: ReadonlyMap<string, NamedFile>
  /** True: numbers have separators (`areQuantities`). */
  readonly isQuantity?: boolean | undefined
  /** In a table: cut text at this many characters and fold nested values. Default: show the whole value. */
  readonly most?: number
  /** Length of a nested value that unfolds in a table. Maximum and default: 2,000. Characters. */
  readonly unfoldedAt?: number
  /** Its cell in a table, where a long text unfolds. Default: it does not. */
  readonly cell?: Cell
  /** Length of a value that is shown complete. Default: `wholeMax`. Characters. */
  readonly wholeAt?: number
}

/** Maximum length of text and nested values on a record's own page. Characters. */
export const wholeMax = 20_000
/** Longer nested values are JSON: each member of a tree takes some hundred bytes of HTML. Characters. */
const treeMax = 10_000
/** An unfolded nested value in a table may be this many times as long as a text, up to `unfoldedMax`. */
const unfoldedTimes = 25
/** Maximum length of an unfolded nested value in a table. Characters. */
const unfoldedMax = 2_000
const noNames: ReadonlyMap<string, string> = new Map()
const noFiles: ReadonlyMap<string, NamedFile> = new Map()
/** Maximum number of references or files shown for a list. */
const referencesMax = 20

/** The beginning of a list or object for a table. Cut before a page is rendered, which cannot give way to other requests. */
export class CutValue {
  /** Its JSON has at least `unfoldedMax` characters if anything is missing. */
  readonly begun: unknown
  /** Number of all items or members. */
  readonly size: number

  constructor(value: object) {
    this.begun = beginningOf(value, { characters: unfoldedMax })
    this.size = Array.isArray(value) ? value.length : Object.keys(value).length
  }
}

/** The HTML of a value. Text of users is isolated (`bdi`), so that it cannot change the direction of the page. */
export function Value(props: Props) {
  const { seen, refersTo, files = noFiles, most, unfoldedAt = unfoldedMax, wholeAt = wholeMax } = props
  const cut = props.value instanceof CutValue ? props.value : undefined
  const value = cut === undefined ? props.value : cut.begun
  const nested = { cut, most, unfoldedAt, wholeAt }
  if (value === undefined)
    return (
      <span class="absent" title="not there">
        –
      </span>
    )
  if (value === null) return <span class="null">null</span>
  if (refersTo !== undefined && idsIn(value).length > 0)
    return <References {...props} value={value} total={cut?.size} type={refersTo} />
  if (typeof value === 'boolean') return <span class="literal">{String(value)}</span>
  if (typeof value === 'number')
    return <span class="number">{numberText(value, props.isQuantity ?? false)}</span>
  if (typeof value === 'string')
    return <Text text={value} most={most ?? wholeAt} cell={props.cell} isInTable={most !== undefined} />
  const references = referencesIn(value)
  if (references.length > 0) {
    const beside = besideFiles(value)
    return (
      <>
        <Files
          references={references}
          total={cut?.size ?? references.length}
          {...{ seen, files }}
          isInTable={most !== undefined}
        />
        {beside !== undefined && <Nested value={beside} {...nested} />}
      </>
    )
  }
  return <Nested value={value} {...nested} />
}

interface FilesProps extends Pick<Required<Props>, 'seen' | 'files'> {
  readonly references: readonly FileReference[]
  readonly total: number
  readonly isInTable: boolean
}

function Files({ references, total, seen, files, isInTable }: FilesProps) {
  const rendered = references.slice(0, referencesMax).map(({ hash, name }) => {
    const file = files.get(hash)
    if (file === undefined) return <FileLink key={hash} {...{ hash, name, seen }} />
    const View = isInTable ? FileCell : FileView
    return <View key={hash} file={{ ...file, name: name ?? file.name }} seen={seen} />
  })
  const rest = total - rendered.length
  return (
    <>
      {rendered}
      {rest > 0 && <span class="quiet"> and {rest} more</span>}
    </>
  )
}

interface NestedProps {
  readonly value: unknown
  /** Undefined: the value is whole. */
  readonly cut: CutValue | undefined
  readonly most: number | undefined
  readonly unfoldedAt: number
  readonly wholeAt: number
}

/** The first items or members of a nested value, at any depth, and the first characters of its texts. */
function beginningOf(value: unknown, left: { characters: number }): unknown {
  if (typeof value === 'string') {
    const text = value.length > left.characters ? value.slice(0, Math.max(0, left.characters)) : value
    left.characters -= value.length
    return text
  }
  if (typeof value !== 'object' || value === null) return value
  // Not `for in`, which makes a text of every index first: 20 ms for the longest list that a page shows.
  if (Array.isArray(value)) {
    const begun: unknown[] = []
    for (let at = 0; at < value.length && left.characters-- > 0; at++)
      begun.push(beginningOf(value[at], left))
    return begun
  }
  const begun: Record<string, unknown> = {}
  for (const name in value) {
    if (left.characters <= 0) break
    left.characters -= 1 + name.length
    const member = beginningOf((value as Record<string, unknown>)[name], left)
    Object.defineProperty(begun, name, {
      value: member,
      enumerable: true,
      writable: true,
      configurable: true,
    })
  }
  return begun
}

/** A JSON value in one line. In a table it can be unfolded. */
function Nested({ value: whole, cut, most, unfoldedAt, wholeAt }: NestedProps) {
  const { begun: value, size } =
    most === undefined ? { begun: whole, size: 0 } : (cut ?? new CutValue(whole as object))
  const text = shownJson(value)
  const isShort = text.length <= Math.min(40, most ?? 40)
  // On the record's own page members and texts are lines, however few.
  if (isShort && (most !== undefined || !hasLines(value))) return <code class="json">{text}</code>
  const lines = text.length > wholeAt ? text : shownJson(value, 2)
  if (most === undefined)
    return text.length <= Math.min(wholeAt, treeMax) ? (
      <Tree value={value as object} />
    ) : (
      <pre class="json">{cutText(lines, wholeAt)}</pre>
    )
  const sizeText = Array.isArray(value) ? counted(size, 'item') : counted(size, 'field')
  return (
    <details class="nested">
      <summary>
        <code class="json">{cutText(text, 32)}</code> <span class="quiet">{sizeText}</span>
      </summary>
      <pre class="json">{cutText(lines, Math.min(unfoldedMax, unfoldedAt, unfoldedTimes * most))}</pre>
    </details>
  )
}

/** False for nothing, and for a few numbers such as coordinates. */
const hasLines = (value: unknown): boolean =>
  Object.values(value as object).length > 0 &&
  !(Array.isArray(value) && value.every((item) => typeof item === 'number'))

const idsIn = (value: unknown): string[] => [value].flat().filter((id) => typeof id === 'string')

/** In tables a label stands alone, elsewhere beside its id. */
function References(props: Props & { type: string; total: number | undefined }) {
  const { value, seen, type, names = noNames, most } = props
  const ids = idsIn(value)
  const rest = (props.total ?? ids.length) - referencesMax
  return (
    <>
      {ids.slice(0, referencesMax).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a
            class="reference"
            href={seen.inView(recordPath(seen, type, id))}
            title={most !== undefined && names.has(`${type}/${id}`) ? cutText(id, 300) : undefined}
          >
            <Name of={names.get(`${type}/${id}`) ?? id} most={most ?? wholeMax} />
          </a>
          {most === undefined && names.has(`${type}/${id}`) && (
            <span class="quiet">
              {' '}
              <Name of={id} most={wholeMax} />
            </span>
          )}
        </span>
      ))}
      {rest > 0 && <span class="quiet"> and {rest} more</span>}
    </>
  )
}
