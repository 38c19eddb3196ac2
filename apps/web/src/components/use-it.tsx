/** Code that reads a version from programs, and its citations. `use-it.slow.test.ts` runs the code where the tool is installed. */
import { type ComponentChildren, Fragment } from 'preact'
import { type CitedVersion, citationsOf } from '../data/citation.ts'
import type { VisitedCollection } from '../data/collection.ts'
import { apiCollectionPath, apiVersionPath, collectionPath, withQuery } from '../paths.ts'
import { Code, shellText } from './small.tsx'
import { type CodeSource, pandasCode, rCode } from './table-code.ts'

interface Props {
  readonly seen: VisitedCollection
  /** Of the version shown. */
  readonly semver: string
  /** A type of the version; undefined: it has none. */
  readonly type: ReadType | undefined
  readonly origin: string
}

interface ReadType {
  readonly name: string
  readonly count: number
  /** Of its table. Undefined: this server makes no tables. */
  readonly columns: CodeSource['columns'] | undefined
}

/** Tables of more records may take longer than a request waits for them. */
const quickRecords = 100_000

/** Code for one tool. */
export interface Snippet {
  readonly tool: string
  readonly text: string
  readonly hint?: ComponentChildren
}

/** Section of the overview page. */
export function UseIt({ seen, semver, type, origin }: Props) {
  const isPinned = seen.version !== undefined
  const snippets = snippetsOf({ seen, version: isPinned ? semver : 'latest', type, origin })
  return (
    <section class="use-it" id="use-it">
      <div class="section-head">
        <h2>Use it</h2>
        <p class="switch">
          {isPinned ? (
            <>
              This version, {semver} · <a href={`/${seen.owner}/${seen.slug}#use-it`}>always the latest</a>
            </>
          ) : (
            <>
              Always the latest ·{' '}
              <a href={`/${seen.owner}/${seen.slug}/v/${semver}#use-it`}>this version, {semver}</a>
            </>
          )}
        </p>
      </div>
      {!seen.isPublic && (
        <p class="quiet">
          It is private: programs need an <a href="/settings/keys">API key</a>, here in the variable{' '}
          <code>ULMUS_TOKEN</code>.
        </p>
      )}
      {snippets.map(({ tool, text, hint }, index) => (
        <details key={tool} name="use-it" open={index === 0}>
          <summary>{tool}</summary>
          {hint !== undefined && <p class="quiet">{hint}</p>}
          <Code>{text}</Code>
        </details>
      ))}
      <p class="quiet">
        Programs follow new versions by{' '}
        <a href={collectionPath(seen, 'webhooks')} rel="nofollow">
          webhooks
        </a>{' '}
        and <a href="/docs/events">events</a>.
      </p>
    </section>
  )
}

/** Section that cites the version in several formats, and links the documents that describe it to programs. */
export function Cite({
  seen,
  version,
  origin,
}: {
  seen: VisitedCollection
  version: CitedVersion
  origin: string
}) {
  const citations = citationsOf(seen, version, origin)
  const files = [
    ...citations.map(({ form, file }) => [form, file] as const),
    ['Croissant', 'croissant.json'],
    ['Data Package', 'datapackage.json'],
  ] as const
  return (
    <section class="use-it">
      <h2>Cite</h2>
      {citations.map(({ form, text }, index) => (
        <details key={form} name="cite" open={index === 0}>
          <summary>{form}</summary>
          <Code>{text}</Code>
        </details>
      ))}
      <p class="quiet">
        As files:
        {files.map(([form, file], index) => (
          <Fragment key={file}>
            {index > 0 && ' ·'}{' '}
            <a href={seen.inView(apiVersionPath({ ...seen, version: version.semver }, file))}>{form}</a>
          </Fragment>
        ))}
      </p>
    </section>
  )
}

/** Code that reads the records of a type. @param version a semver, or `latest` */
export function snippetsOf({
  seen,
  version,
  type,
  origin,
}: {
  seen: Pick<VisitedCollection, 'owner' | 'slug' | 'isPublic'>
  version: string
  type: ReadType | undefined
  origin: string
}): Snippet[] {
  const { owner, slug, isPublic } = seen
  const lines =
    origin + withQuery(apiVersionPath({ owner, slug, version }, 'records.ndjson'), { type: type?.name })
  const archive = `${origin}${apiCollectionPath({ owner, slug }, 'export')}?version=${version}`
  const head = isPublic ? '' : ' -H "Authorization: Bearer $ULMUS_TOKEN"'
  const of = (value: string) => (isPublic ? '' : value)
  const authorized = of(`, headers={\n    'Authorization': f"Bearer {os.environ['ULMUS_TOKEN']}"}`)
  const named = `${origin}/${owner}/${slug}${version === 'latest' ? '' : `@${version}`}`
  const ofType = shellText(`${named}${type === undefined ? '' : `#${type.name}`}`)
  return [
    {
      tool: 'curl',
      text: `curl -sf --compressed${head} '${lines}'\ncurl -sfo ${slug}.tar.gz${head} '${archive}'`,
    },
    {
      tool: 'Command line',
      text: `ulmus get ${ofType} --csv > ${slug}.csv\nulmus clone ${shellText(named)}`,
      hint: (
        <>
          <a href="/downloads">Downloads</a> says how to install it.
        </>
      ),
    },
    {
      tool: 'TypeScript',
      // biome-ignore lint/suspicious/noTemplateCurlyInString: it is the text that people copy
      text: `const answer = await fetch('${lines}'${of(', {\n  headers: { authorization: `Bearer ${process.env.ULMUS_TOKEN}` },\n}')})
if (!answer.ok) throw new Error(await answer.text())
const records = (await answer.text()).trim().split('\\n').map((line) => JSON.parse(line))
console.log(records.length, records[0])`,
    },
    {
      tool: 'Python',
      text: `import json${of(', os')}, urllib.request

request = urllib.request.Request('${lines}'${authorized})
with urllib.request.urlopen(request) as answer:
    records = [json.loads(line) for line in answer]
print(len(records), records[0])`,
    },
    ...(type?.columns === undefined
      ? []
      : tableSnippetsOf(seen, version, { ...type, columns: type.columns }, origin)),
  ]
}

/** Code for tools that read tables: Parquet where they can, since it has the types of the values. */
function tableSnippetsOf(
  { owner, slug, isPublic }: Pick<VisitedCollection, 'owner' | 'slug' | 'isPublic'>,
  version: string,
  { name, count, columns }: ReadType & Pick<CodeSource, 'columns'>,
  origin: string,
): Snippet[] {
  const addressOf = (form: string) =>
    (origin + apiVersionPath({ owner, slug, version }, 'tables', `${name}.${form}`)).replaceAll("'", '%27')
  const parquet = addressOf('parquet')
  const table = { csv: addressOf('csv'), parquet, isPublic, columns }
  const hint =
    count > quickRecords
      ? 'The first request makes the table. Until it is there, the answer is 202: try again a minute later.'
      : undefined
  const header = `{'Authorization': f"Bearer {os.environ['ULMUS_TOKEN']}"}`
  return [
    { tool: 'pandas', text: `${pandasCode(table)}\nprint(table)`, hint },
    {
      tool: 'Polars',
      text: `import ${isPublic ? '' : 'os, '}polars, urllib.request

request = urllib.request.Request('${parquet}'${isPublic ? '' : `, headers=${header}`})
with urllib.request.urlopen(request) as answer:
    table = polars.read_parquet(answer.read())
print(table)`,
      hint,
    },
    { tool: 'R', text: `${rCode(table)}\nstr(table)`, hint },
    {
      tool: 'DuckDB',
      text: isPublic
        ? `SELECT * FROM read_parquet('${parquet}');`
        : `-- curl -sf -H "Authorization: Bearer $ULMUS_TOKEN" '${parquet}' > table.parquet
SELECT * FROM read_parquet('table.parquet');`,
      hint,
    },
  ]
}
