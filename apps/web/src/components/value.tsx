/** Renders a value of a record: short in tables, complete on the record's page. */

import type { SeenCollection } from '../data/collection.ts'
import { besideFiles, filesIn, type NamedFile } from '../data/files.ts'
import { bytesText, counted, cutText, numberText, shownJson } from '../format.ts'
import { recordPath } from '../paths.ts'
import { FileLink, FileView } from './file.tsx'
import { Name } from './small.tsx'
import { Tree } from './tree.tsx'

interface Props {
  readonly value: unknown
  readonly seen: SeenCollection
  /** Type of the referenced records; undefined: the value is not a reference. */
  readonly refersTo?: string | undefined
  /** Labels of referenced records, by `type/id`. Default: their ids. */
  readonly names?: ReadonlyMap<string, string>
  /** Known files by hash, which are rendered; others are linked. Default: none. */
  readonly files?: ReadonlyMap<string, NamedFile>
  /** True: numbers have separators. */
  readonly isGrouped?: boolean
  /** In a table: cut text at this many characters and fold nested values. Default: show the whole value. */
  readonly most?: number
  /** Length of a nested value that unfolds in a table. Maximum and default: 2,000. Characters. */
  readonly unfoldedAt?: number
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

/** The HTML of a value. Text of users is isolated (`bdi`), so that it cannot change the direction of the page. */
export function Value(props: Props) {
  const { value, seen, refersTo, files = noFiles, most, unfoldedAt = unfoldedMax, wholeAt = wholeMax } = props
  const nested = { most, unfoldedAt, wholeAt }
  if (value === undefined)
    return (
      <span class="absent" title="not there">
        –
      </span>
    )
  if (value === null) return <span class="null">null</span>
  if (refersTo !== undefined && idsIn(value).length > 0) return <References {...props} type={refersTo} />
  if (typeof value === 'boolean') return <span class="literal">{String(value)}</span>
  if (typeof value === 'number')
    return <span class="number">{props.isGrouped ? numberText(value) : String(value)}</span>
  if (typeof value === 'string') return <Text text={value} most={most ?? wholeAt} />
  const hashes = filesIn(value)
  if (hashes.length > 0) {
    const beside = besideFiles(value)
    return (
      <>
        <Files hashes={hashes} seen={seen} files={files} />
        {beside !== undefined && <Nested value={beside} {...nested} />}
      </>
    )
  }
  return <Nested value={value} {...nested} />
}

function Files({
  hashes,
  seen,
  files,
}: { hashes: string[]; seen: SeenCollection } & Pick<Required<Props>, 'files'>) {
  const shown = hashes.slice(0, referencesMax).map((hash) => {
    const file = files.get(hash)
    if (file === undefined) return <FileLink key={hash} hash={hash} seen={seen} />
    return <FileView key={hash} file={file} seen={seen} />
  })
  const rest = hashes.length - shown.length
  return (
    <>
      {shown}
      {rest > 0 && <span class="quiet"> and {rest} more</span>}
    </>
  )
}

const linkPattern = /^https?:\/\/[^\s"'<>]{1,2000}$/

function Text({ text, most }: { text: string; most: number }) {
  if (linkPattern.test(text)) {
    return (
      <a href={text} rel="nofollow noopener ugc">
        <bdi>{cutText(text, most)}</bdi>
      </a>
    )
  }
  if (text.length <= most) return <bdi class="text">{text}</bdi>
  return (
    <>
      <bdi class="text">{cutText(text, most)}</bdi>{' '}
      <span class="cut">({bytesText(Buffer.byteLength(text))})</span>
    </>
  )
}

interface NestedProps {
  readonly value: unknown
  readonly most: number | undefined
  readonly unfoldedAt: number
  readonly wholeAt: number
}

/** The first members of a nested value, at any depth: the JSON of each has at least two characters. */
function beginningOf(value: unknown, left: { members: number }): unknown {
  if (typeof value !== 'object' || value === null) return value
  const isList = Array.isArray(value)
  const begun: Record<string, unknown> | unknown[] = isList ? [] : {}
  for (const name in value) {
    if (left.members-- <= 0) break
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
function Nested({ value: whole, most, unfoldedAt, wholeAt }: NestedProps) {
  const value = most === undefined ? whole : beginningOf(whole, { members: unfoldedMax })
  const text = shownJson(value)
  if (text.length <= Math.min(40, most ?? 40)) return <code class="json">{text}</code>
  const lines = text.length > wholeAt ? text : shownJson(value, 2)
  if (most === undefined)
    return text.length <= Math.min(wholeAt, treeMax) ? (
      <Tree value={value as object} />
    ) : (
      <pre class="json">{cutText(lines, wholeAt)}</pre>
    )
  const size = Array.isArray(whole)
    ? counted(whole.length, 'item')
    : counted(Object.keys(whole as object).length, 'field')
  return (
    <details class="nested">
      <summary>
        <code class="json">{cutText(text, 32)}</code> <span class="quiet">{size}</span>
      </summary>
      <pre class="json">{cutText(lines, Math.min(unfoldedMax, unfoldedAt, unfoldedTimes * most))}</pre>
    </details>
  )
}

const idsIn = (value: unknown): string[] => [value].flat().filter((id) => typeof id === 'string')

/** In tables a label stands alone, elsewhere beside its id. */
function References({ value, seen, type, names = noNames, most }: Props & { type: string }) {
  const ids = idsIn(value)
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
      {ids.length > referencesMax && <span class="quiet"> and {ids.length - referencesMax} more</span>}
    </>
  )
}
