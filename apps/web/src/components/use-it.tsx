/** Code examples that read a version from programs. `use-it.slow.test.ts` runs them where the tool is installed. */
import type { SeenCollection } from '../data/collection.ts'
import { apiCollectionPath, apiVersionPath, collectionPath, withQuery } from '../paths.ts'
import { Code } from './small.tsx'

interface Props {
  readonly seen: SeenCollection
  /** Of the version shown. */
  readonly semver: string
  /** A type of the version; undefined: it has none. */
  readonly type: string | undefined
  readonly origin: string
}

/** Code for one tool. */
export interface Snippet {
  readonly tool: string
  readonly text: string
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
      {snippets.map(({ tool, text }, index) => (
        <details key={tool} name="use-it" open={index === 0}>
          <summary>{tool}</summary>
          {tool === 'Command line' && (
            <p class="quiet">
              <a href="/downloads">Downloads</a> says how to install it.
            </p>
          )}
          <Code>{text}</Code>
        </details>
      ))}
      <p class="quiet">
        Programs hear of new versions by{' '}
        <a href={collectionPath(seen, 'webhooks')} rel="nofollow">
          webhooks
        </a>{' '}
        and <a href="/docs/events">events</a>.
      </p>
    </section>
  )
}

/** A text as one word of a shell. */
export const shellText = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

/** Code that reads the records of a type. @param version a semver, or `latest` */
export function snippetsOf({
  seen,
  version,
  type,
  origin,
}: {
  seen: Pick<SeenCollection, 'owner' | 'slug' | 'isPublic'>
  version: string
  type: string | undefined
  origin: string
}): Snippet[] {
  const { owner, slug, isPublic } = seen
  const lines = origin + withQuery(apiVersionPath({ owner, slug, version }, 'records.ndjson'), { type })
  const archive = `${origin}${apiCollectionPath({ owner, slug }, 'export')}?version=${version}`
  const head = isPublic ? '' : ' -H "Authorization: Bearer $ULMUS_TOKEN"'
  const of = (value: string) => (isPublic ? '' : value)
  const authorized = of(`, headers={\n    'Authorization': f"Bearer {os.environ['ULMUS_TOKEN']}"}`)
  const named = `${origin}/${owner}/${slug}${version === 'latest' ? '' : `@${version}`}`
  const ofType = shellText(`${named}${type === undefined ? '' : `#${type}`}`)
  return [
    {
      tool: 'curl',
      text: `curl -sf --compressed${head} '${lines}'\ncurl -sfo ${slug}.tar.gz${head} '${archive}'`,
    },
    {
      tool: 'Command line',
      text: `ulmus get ${ofType} --csv > ${slug}.csv\nulmus clone ${shellText(named)}`,
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
    {
      tool: 'pandas',
      text: `import ${isPublic ? '' : 'os, '}pandas

lines = pandas.read_json('${lines}', lines=True, dtype=False, convert_dates=False${of(", storage_options={\n    'Authorization': f\"Bearer {os.environ['ULMUS_TOKEN']}\"}")})
table = pandas.json_normalize(lines['data'].tolist())
table.index = lines['id']
print(len(table), table.head(), sep='\\n')`,
    },
    {
      tool: 'Polars',
      text: `import ${isPublic ? '' : 'os, '}polars, urllib.request

request = urllib.request.Request('${lines}'${authorized})
with urllib.request.urlopen(request) as answer:
    lines = polars.read_ndjson(answer.read(), infer_schema_length=None)
print(lines['data'].struct.unnest())`,
    },
    {
      tool: 'R',
      text: `library(jsonlite)
records <- stream_in(url('${lines}'${of(", headers = c(\n  Authorization = paste('Bearer', Sys.getenv('ULMUS_TOKEN')))")}), verbose = FALSE)
str(records)`,
    },
    {
      tool: 'DuckDB',
      text: isPublic
        ? `SELECT id, data.* FROM read_json('${lines}', format = 'newline_delimited');`
        : `-- curl -sf${head} '${lines}' > ${slug}.ndjson
SELECT id, data.* FROM read_json('${slug}.ndjson', format = 'newline_delimited');`,
    },
  ]
}
