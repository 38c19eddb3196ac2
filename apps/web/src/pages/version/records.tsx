/** `…/records/:type`: records of a type as a table. */

import { type Field, fieldsOf } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import { Icon } from '../../components/icon.tsx'
import { Badge, Empty, Pager, TableScroll } from '../../components/small.tsx'
import { Value } from '../../components/value.tsx'
import { type SeenCollection, type ShownVersion, schemaIn, seeVersion } from '../../data/collection.ts'
import { own } from '../../data/own.ts'
import {
  fieldsBeside,
  isObject,
  type RecordsPage,
  readRecords,
  type ShownRecord,
} from '../../data/records.ts'
import { bytesText, counted, countText, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../page.ts'
import { apiVersionPath, collectionPath, recordPath, versionPath, withQuery } from '../../paths.ts'

/** Number of columns shown by default. */
const columnsUsual = 8
/** Maximum number of columns shown. */
const columnsMax = 30
/** Maximum length of text in a cell, or `cellCharactersOfMany` in a table with more than `manyCells` cells. Characters. */
const cellCharacters = 80
const cellCharactersOfMany = 24
const manyCells = 400
/** Limit of all unfolded nested values of a page; escaped as HTML they may take several times as much. Characters. */
const unfoldedOnPageMax = 300_000
/** Longer names of types and fields are cut. Characters. */
const namesMax = 60

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const types = Object.keys(version.schemas)
  const query = visit.url.searchParams
  // Accept the API's form of the address too, with the type in the query.
  const type = visit.params['type'] ?? (query.get('type') || types[0])
  const schema = type === undefined ? undefined : schemaIn(version, type)
  if (type === undefined || schema === undefined) return noType(seen, types, type)
  const [id, after] = [query.get('id') ?? '', query.get('after') ?? '']
  const ask = { type, schema, ...(id === '' ? {} : { id }), ...(after === '' ? {} : { after }) }
  const page = await readRecords(visit, seen, ask)
  if (id !== '' && page.records.length === 1)
    return new Redirect(seen.inView(recordPath(seen, type, id)), 302)
  const listed = fieldsOf(schema)
  const fields = [...listed, ...fieldsBeside(listed, page.records)]
  const chosen = columnsIn(query, fields)
  const here = versionPath(seen, 'records', type)
  const next = {
    columns: query.get('columns') ?? undefined,
    view: query.get('view') ?? undefined,
    after: page.nextCursor ?? undefined,
  }
  return {
    title: `${type} · ${seen.owner}/${seen.slug}`,
    description: `Records of type ${type} in ${seen.owner}/${seen.slug}.`,
    canonical: here,
    isPublic: seen.isPublic,
    json: withQuery(apiVersionPath(seen, 'records'), { type, after }),
    body: (
      <CollectionPage seen={seen} tab="records">
        <Types seen={seen} version={version} type={type} />
        <Tools seen={seen} type={type} fields={fields} chosen={chosen} id={id} here={here} />
        {id !== '' && page.records.length === 0 && (
          <p class="note" role="status">
            There is no <bdi>{type}</bdi> with the id <code>{cutText(id, 200)}</code>.{' '}
            <a href={seen.inView(here)}>Show all</a>
          </p>
        )}
        {page.records.length === 0 && id === '' && <Empty title="There are no records of this type." />}
        {page.records.length > 0 && <Table seen={seen} type={type} page={page} chosen={chosen} />}
        <p class="table-foot">
          <span class="quiet">
            {counted(page.total, 'record')}
            {page.nextCursor === null && after === '' ? '' : `, ${page.records.length} here`}
          </span>
          <Pager
            next={page.nextCursor === null ? undefined : withQuery(here, next)}
            prev={after === '' ? undefined : seen.inView(here)}
          />
        </p>
      </CollectionPage>
    ),
  }
}

export const records: Page = { show }

function noType(seen: SeenCollection, types: readonly string[], type: string | undefined) {
  return {
    title: `Records · ${seen.owner}/${seen.slug}`,
    refused:
      type === undefined
        ? undefined
        : new RegistryError('type_not_found', { say: { type, types: types.join(', ') } }),
    body: (
      <CollectionPage seen={seen} tab="records">
        <Empty title={type === undefined ? 'This version has no types.' : 'This version has no such type.'}>
          <p>
            {types.map((name) => (
              <a key={name} class="choice" href={seen.inView(versionPath(seen, 'records', name))}>
                <bdi>{name}</bdi>
              </a>
            ))}
          </p>
        </Empty>
      </CollectionPage>
    ),
  }
}

/** Fields named by `?columns=a,b`; by default the first ones. */
function columnsIn(query: URLSearchParams, fields: readonly Field[]): readonly Field[] {
  const asked = query.getAll('columns').flatMap((names) => names.split(','))
  const chosen = fields.filter(({ name }) => asked.includes(name))
  return chosen.length > 0 ? chosen.slice(0, columnsMax) : fields.slice(0, columnsUsual)
}

/** Number of types in the line; further types are in a collapsed list. */
const typesInLine = 12

function Types({ seen, version, type }: { seen: SeenCollection; version: ShownVersion; type: string }) {
  const types = Object.keys(version.schemas)
  if (types.length === 1) return null
  const link = (name: string) => (
    <a
      key={name}
      class="choice"
      href={seen.inView(versionPath(seen, 'records', name))}
      aria-current={name === type ? 'true' : undefined}
    >
      <bdi>{name}</bdi> <span class="quiet number">{countText(version.typeCounts[name] ?? 0)}</span>
    </a>
  )
  const first = types.slice(0, typesInLine)
  if (!first.includes(type)) first[first.length - 1] = type
  const rest = types.filter((name) => !first.includes(name))
  return (
    <nav class="choices" aria-label="Types">
      {first.map(link)}
      {rest.length > 0 && (
        <details class="more">
          <summary>{rest.length} more</summary>
          {rest.map(link)}
        </details>
      )}
    </nav>
  )
}

/** True for numeric types, whose values are right-aligned. */
const isNumber = (type: string): boolean => /^(?:integer|number)(?: or null)?$/.test(type)

interface ToolsProps {
  seen: SeenCollection
  type: string
  fields: readonly Field[]
  chosen: readonly Field[]
  id: string
  here: string
}

const Tools = ({ seen, type, fields, chosen, id, here }: ToolsProps) => (
  <div class="tools">
    <form action={here} class="inline">
      <label class="sr-only" for="jump">
        Id of a record
      </label>
      <input
        id="jump"
        name="id"
        value={id}
        placeholder="Go to id"
        spellcheck={false}
        autocomplete="off"
        maxLength={1024}
      />
      {seen.isMember && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
      <button type="submit">Go</button>
    </form>
    {fields.length > columnsUsual && (
      <details class="menu columns-menu">
        <summary>
          Columns <span class="quiet">{`${chosen.length} of ${fields.length}`}</span>
          <Icon name="chevron" />
        </summary>
        <form class="float" action={here}>
          <div class="scroll">
            {fields.slice(0, 500).map(({ name }) => (
              <label key={name} class="check">
                <input
                  type="checkbox"
                  name="columns"
                  value={name}
                  checked={chosen.some((field) => field.name === name)}
                />
                <bdi>{cutText(name, namesMax)}</bdi>
              </label>
            ))}
          </div>
          {seen.isMember && seen.view === 'public' && <input type="hidden" name="view" value="public" />}
          <button type="submit">Show</button>
        </form>
      </details>
    )}
    <span class="grow" />
    <a href={withQuery(apiVersionPath(seen, 'records'), { type })}>JSON</a>
    <a href={withQuery(apiVersionPath(seen, 'records.ndjson'), { type })}>NDJSON</a>
  </div>
)

const Table = ({
  seen,
  type,
  page,
  chosen,
}: {
  seen: SeenCollection
  type: string
  page: RecordsPage
  chosen: readonly Field[]
}) => (
  <TableScroll label={`Records of type ${type}`}>
    <table class="data records">
      <thead>
        <tr>
          <th scope="col">id</th>
          {chosen.map(({ name, type, title, description, isPrivate }) => (
            <th
              key={name}
              scope="col"
              title={cutText(description ?? title ?? name, 300)}
              class={isNumber(type) ? 'right' : undefined}
            >
              <bdi>{cutText(name, namesMax)}</bdi> {isPrivate && <Badge tone="private">Private</Badge>}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {page.records.map((record) => (
          <Row
            key={record.id}
            seen={seen}
            record={record}
            chosen={chosen}
            most={page.records.length * chosen.length > manyCells ? cellCharactersOfMany : cellCharacters}
            unfoldedAt={Math.floor(unfoldedOnPageMax / (page.records.length * chosen.length))}
          />
        ))}
      </tbody>
    </table>
  </TableScroll>
)

const Row = ({
  seen,
  record,
  chosen,
  most,
  unfoldedAt,
}: {
  seen: SeenCollection
  record: ShownRecord
  chosen: readonly Field[]
  /** Maximum length of a text in a cell. Characters. */
  most: number
  /** Maximum length of an unfolded nested value in a cell. Characters. */
  unfoldedAt: number
}) => (
  <tr>
    <th scope="row">
      <a href={seen.inView(recordPath(seen, record.type, record.id))}>
        <bdi>{cutText(record.id, 60)}</bdi>
      </a>
    </th>
    {record.data === undefined ? (
      <td colSpan={chosen.length} class="quiet">
        A large record of {bytesText(record.bytes)}
      </td>
    ) : !isObject(record.data) ? (
      <td colSpan={Math.max(1, chosen.length)}>
        <Value value={record.data} seen={seen} most={most} />
      </td>
    ) : (
      chosen.map(({ name, refersTo }) => {
        const value = own(record.data!, name)
        return (
          <td key={name} class={typeof value === 'number' ? 'right' : undefined}>
            <Value value={value} {...{ seen, refersTo, most, unfoldedAt }} />
          </td>
        )
      })
    )}
  </tr>
)
