/** The diagram of references: which field of which type refers to which type. A list, which reads the same aloud. */
import { type Json, type PlainSchema, referenceFieldsOf } from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import { Name } from '../../components/small.tsx'
import { schemaIn, type VersionResponse, type VisitedCollection } from '../../data/collection.ts'
import { counted, countText, cutText } from '../../format.ts'
import { versionPath, withQuery } from '../../paths.ts'

/** References of the diagram, and of one type. */
const most = { references: 300, each: 20 }
/** Longer names are cut. Characters. */
const nameMax = 40
/** A diagram of more types is folded. */
const unfoldedMax = 8

export interface TypeReferences {
  readonly type: string
  readonly references: readonly { readonly field: string; readonly to: string }[]
  /** References that are left out. */
  readonly rest: number
}

/**
 * References in the view of the page. Parses schemas one by one, so that other requests get turns of the event loop.
 * @param parsed schemas that the page has parsed already
 * @param chosen only references from and to this type. Default: all
 */
export async function readReferences(
  version: VersionResponse,
  parsed: ReadonlyMap<string, PlainSchema>,
  chosen: string | null,
): Promise<TypeReferences[]> {
  const found: TypeReferences[] = []
  let room = most.references
  for (const type of Object.keys(version.schemas)) {
    await giveWay()
    const schema = parsed.get(type) ?? schemaIn(version, type)!
    const all = referenceFieldsOf(schema as Json)
      .filter((field) => chosen === null || chosen === type || chosen === field.type)
      .map(({ steps, type: to }) => ({ field: fieldText(steps), to }))
    const references = all.slice(0, Math.min(most.each, room))
    room -= references.length
    if (all.length > 0) found.push({ type, references, rest: all.length - references.length })
  }
  return found
}

/** `stops[].city` */
const fieldText = (steps: readonly (string | undefined)[]): string =>
  steps.reduce<string>(
    (text, step) => (step === undefined ? `${text}[]` : `${text}${text === '' ? '' : '.'}${step}`),
    '',
  )

interface Props {
  readonly seen: VisitedCollection
  readonly version: VersionResponse
  readonly found: readonly TypeReferences[]
  /** Types with a section on the page; links to others lead to theirs. */
  readonly onPage: ReadonlySet<string>
}

export function References({ seen, version, found, onPage }: Props) {
  const drawn = found.filter(({ references }) => references.length > 0)
  if (drawn.length === 0) return null
  const types = Object.keys(version.schemas).length
  const isWhole = drawn.length === found.length
  const box = (type: string) => <TypeBox {...{ seen, version, type }} isOnPage={onPage.has(type)} />
  return (
    <details class="references" open={drawn.length <= unfoldedMax}>
      <summary>References between types</summary>
      <ul>
        {drawn.map(({ type, references, rest }) => (
          <li key={type}>
            {box(type)}
            <ul>
              {references.map(({ field, to }, index) => (
                <li key={index}>
                  <span class="edge">
                    <code title={field.length > nameMax ? cutText(field, 300) : undefined}>
                      {cutText(field, nameMax)}
                    </code>
                    <span class="sr-only"> refers to </span>
                  </span>
                  {box(to)}
                </li>
              ))}
              {rest > 0 && <li class="quiet">and {countText(rest)} more</li>}
            </ul>
          </li>
        ))}
      </ul>
      {!isWhole && (
        <p class="quiet">
          Only the first {most.references} references of {counted(types, 'type')}. The page of a type has its
          own.
        </p>
      )}
    </details>
  )
}

interface BoxProps extends Pick<Props, 'seen' | 'version'> {
  readonly type: string
  readonly isOnPage: boolean
}

/** A type that the version lacks, or that the visitor may not see, has no link. */
function TypeBox({ seen, version, type, isOnPage }: BoxProps) {
  const name = <Name of={type} most={nameMax} />
  if (!Object.hasOwn(version.schemas, type)) return <span class="box absent">{name}</span>
  const path = isOnPage
    ? `#type-${encodeURIComponent(type)}`
    : seen.inView(withQuery(versionPath(seen, 'schemas'), { type }))
  return (
    <a class="box" href={path}>
      {name}
    </a>
  )
}
