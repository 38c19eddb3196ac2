/** A value of a record: short in tables, whole on the page of the record. */

import type { SeenCollection } from '../data/collection.ts'
import { bytesText, counted, cutText } from '../format.ts'
import { recordPath, versionPath, withQuery } from '../paths.ts'

interface Props {
  readonly value: unknown
  readonly seen: SeenCollection
  /** Type of the records it refers to; undefined: none. */
  readonly refersTo?: string | undefined
  /** What the records that it refers to are called, by `type/id`. Default: by their ids. */
  readonly names?: ReadonlyMap<string, string>
  /** Text is cut at so many characters. Default: not below `wholeMax`. */
  readonly most?: number
}

/** Of text and nested values that a record's own page shows. Characters. */
const wholeMax = 20_000
const noNames: ReadonlyMap<string, string> = new Map()
/** References of a list that are shown. */
const referencesMax = 20

export function Value({ value, seen, refersTo, names = noNames, most = wholeMax }: Props) {
  if (value === undefined)
    return (
      <span class="absent" title="not there">
        –
      </span>
    )
  if (value === null) return <span class="null">null</span>
  if (refersTo !== undefined)
    return <References value={value} seen={seen} type={refersTo} names={names} most={most} />
  if (typeof value === 'boolean') return <span class="literal">{String(value)}</span>
  if (typeof value === 'number') return <span class="number">{String(value)}</span>
  if (typeof value === 'string') return <Text text={value} most={most} />
  const file = fileIn(value)
  if (file !== undefined) return <FileLink hash={file} seen={seen} />
  return <Nested value={value} most={most} />
}

/** @returns the hash of a reference to a file, `{"$file": "sha256:…"}`; undefined: it is none */
export function fileIn(value: unknown): string | undefined {
  const hash = (value as { $file?: unknown }).$file
  return typeof hash === 'string' && Object.keys(value as object).length === 1 ? hash : undefined
}

export const fileHref = ({ owner, slug }: { owner: string; slug: string }, hash: string): string =>
  `/api/collections/${owner}/${slug}/files/${hash}`

const FileLink = ({ hash, seen }: { hash: string; seen: SeenCollection }) => (
  <a href={seen.inView(withQuery(versionPath(seen, 'files'), { hash }))}>
    <code>{cutText(hash, 15)}</code>
  </a>
)

const linkPattern = /^https?:\/\/[^\s"'<>]{1,2000}$/

function Text({ text, most }: { text: string; most: number }) {
  if (linkPattern.test(text)) {
    return (
      <a href={text} rel="nofollow noopener ugc">
        {cutText(text, most)}
      </a>
    )
  }
  if (text.length <= most) return <bdi class="text">{text}</bdi>
  return (
    <bdi class="text">
      {cutText(text, most)} <span class="cut">({bytesText(Buffer.byteLength(text))})</span>
    </bdi>
  )
}

/** A JSON value in one line, which opens to several. */
function Nested({ value, most }: { value: unknown; most: number }) {
  const size = Array.isArray(value)
    ? counted(value.length, 'item')
    : counted(Object.keys(value as object).length, 'field')
  const text = JSON.stringify(value)
  if (text.length <= 40 && text.length <= most) return <code class="json">{text}</code>
  const lines = cutText(text.length > wholeMax ? text : JSON.stringify(value, null, 2), wholeMax)
  if (most === wholeMax) return <pre class="json">{lines}</pre>
  return (
    <details class="nested">
      <summary>
        <code class="json">{cutText(text, 32)}</code> <span class="quiet">{size}</span>
      </summary>
      <pre class="json">{cutText(lines, 2_000)}</pre>
    </details>
  )
}

function References({
  value,
  seen,
  type,
  names,
  most,
}: Required<Omit<Props, 'refersTo'>> & { type: string }) {
  const ids = (Array.isArray(value) ? value : [value]).filter((id) => typeof id === 'string')
  if (ids.length === 0) return <Value value={value} seen={seen} most={most} />
  return (
    <>
      {ids.slice(0, referencesMax).map((id, index) => (
        <span key={id}>
          {index > 0 && ', '}
          <a class="reference" href={seen.inView(recordPath(seen, type, id))}>
            <bdi>{cutText(names.get(`${type}/${id}`) ?? id, most)}</bdi>
          </a>
          {names.has(`${type}/${id}`) && (
            <span class="quiet">
              {' '}
              <bdi>{cutText(id, most)}</bdi>
            </span>
          )}
        </span>
      ))}
      {ids.length > referencesMax && <span class="quiet"> and {ids.length - referencesMax} more</span>}
    </>
  )
}
