/** `…/schemas`: properties of the records of each type. */

import {
  type Field,
  fieldsOf,
  isCutValue,
  type Json,
  type PlainSchema,
  withPropertiesInOrder,
} from '@ulmus/content'
import { giveWay } from '@ulmus/registry'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Badge, Empty, Icon, Name } from '../../components/small.tsx'
import { Value } from '../../components/values/value.tsx'
import { schemaIn, seeVersion, type VersionResponse, type VisitedCollection } from '../../data/collection.ts'
import {
  areQuantities,
  counted,
  countText,
  cutName,
  cutText,
  shareText,
  shownJson,
  shownMarks,
  shownName,
} from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../page.ts'
import { apiVersionPath, collectionPath, versionPath, withQuery } from '../../paths.ts'
import { ProfilesNote } from './records/tools.tsx'
import { type Facts, type FieldFacts, readFacts } from './schema-facts.ts'
import { References, readReferences } from './schema-references.tsx'

/** Number of types shown with their fields. Other types appear only as names; `?type=` shows one of them. */
const typesMax = 30
/** Maximum number of fields shown of a type. */
const fieldsMax = 500
/** Number of fields shown of all types of a page, which share it equally. */
const fieldsOfPage = 1_500
/** Length of all titles and descriptions of a page. Characters. */
const wordsOfPage = 200_000
/** Length of all raw schemas of a page, which share it equally. Characters. */
const rawOfPage = 150_000
/** Maximum length of a name. Characters. */
const nameMax = 100
/** Longer examples are cut. Characters. */
const exampleMax = 40
/** Maximum length of an unfolded one. Characters. */
const exampleUnfoldedMax = 400
/** Interval while statistics are being computed. Seconds. */
const reloadSeconds = 2

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const chosen = visit.url.searchParams.get('type')
  const types = Object.keys(version.schemas)
  const rendered = chosen === null ? types.slice(0, typesMax) : types.filter((type) => type === chosen)
  const open = new Set(rendered)
  const mayEdit = seen.may('write') && seen.view === 'full' && seen.version === undefined
  const rest = types.filter((type) => !open.has(type))
  const read: ReadType[] = []
  for (const type of rendered) read.push(await readType(version, type, rendered.length))
  const facts = await readFacts(visit, seen, version, read)
  const parsed = new Map(read.map(({ type, schema }) => [type, schema]))
  const references = await readReferences(version, parsed, chosen)
  return {
    title: `Schemas · ${seen.owner}/${seen.slug}`,
    description: `Types of records in ${seen.owner}/${seen.slug}, with their properties.`,
    canonical: versionPath(seen, 'schemas'),
    isPublic: seen.isPublic,
    json: apiVersionPath(seen),
    ...(facts.state === 'computing' && { reloadSeconds }),
    body: (
      <CollectionPage seen={seen} tab="schemas">
        {types.length === 0 && <Empty title="This version has no types." />}
        <References {...{ seen, version }} found={references} onPage={open} />
        {facts.state !== 'known' && (
          <p>
            <ProfilesNote profiles={facts.state} isFolded={false} url={visit.url} />
          </p>
        )}
        {read.map((type) => (
          <Type
            {...type}
            key={type.type}
            seen={seen}
            facts={facts}
            count={version.typeCounts[type.type] ?? 0}
            of={rendered.length}
            mayEdit={mayEdit}
          />
        ))}
        {mayEdit && (
          <p>
            <a class="button" href={collectionPath(seen, 'schemas', 'new')}>
              New type
            </a>
          </p>
        )}
        {rest.length > 0 && (
          <nav class="choices" aria-label="Other types">
            {rest.slice(0, 1_000).map((type) => (
              <a
                key={type}
                class="choice"
                href={seen.inView(withQuery(versionPath(seen, 'schemas'), { type }))}
              >
                <Name of={type} />
              </a>
            ))}
          </nav>
        )}
      </CollectionPage>
    ),
  }
}

export const schemas: Page = { show }

/** A type with what the page shows of its schema. */
interface ReadType {
  readonly type: string
  readonly schema: PlainSchema
  readonly fields: readonly Field[]
  /** Number of all properties. */
  readonly properties: number
  /** The schema as JSON, cut. */
  readonly raw: string
}

/** Gives other requests turns of the event loop: a page shows schemas of up to 4 MiB. @param of number of types on the page */
async function readType(version: VersionResponse, type: string, of: number): Promise<ReadType> {
  await giveWay()
  const schema = schemaIn(version, type)!
  await giveWay()
  const fields = fieldsOf(schema, Math.min(fieldsMax, Math.floor(fieldsOfPage / of)))
  await giveWay()
  const text = shownJson(withPropertiesInOrder(schema as Json), 2)
  const properties = Object.keys((schema['properties'] as object | undefined) ?? {}).length
  return { type, schema, fields, properties, raw: cutText(text, Math.floor(rawOfPage / of)) }
}

interface TypeProps extends ReadType {
  seen: VisitedCollection
  facts: Facts
  count: number
  /** Number of types on the page. */
  of: number
  mayEdit: boolean
}

function Type({ seen, facts, type, schema, fields, properties, raw, count, of, mayEdit }: TypeProps) {
  const { title, description } = schema
  return (
    <section class="type" id={`type-${type}`}>
      <div class="section-head">
        <h2>
          <Name of={type} /> {schema['private'] === true && <Badge tone="private">Private</Badge>}
        </h2>
        <span class="facts">
          <a href={seen.inView(versionPath(seen, 'records', type))}>{counted(count, 'record')}</a>
          {mayEdit && (
            <a class="button" href={collectionPath(seen, 'schemas', type, 'edit')}>
              <Icon name="edit" />
              Edit <span class="sr-only">the schema of {shownName(type)}</span>
            </a>
          )}
        </span>
      </div>
      {typeof title === 'string' && title !== type && (
        <p class="name" dir="auto">
          {cutText(title, 300)}
        </p>
      )}
      {typeof description === 'string' && <p dir="auto">{cutText(description, 2_000)}</p>}
      {fields.length > 0 && <Fields {...{ seen, fields, type, of, facts }} />}
      {properties > fields.length && (
        <p class="quiet">and {properties - fields.length} more properties, in the schema</p>
      )}
      {schema['additionalProperties'] === false && <p class="quiet">No other properties.</p>}
      <details class="raw">
        <summary>JSON Schema</summary>
        <pre class="json">{raw}</pre>
      </details>
    </section>
  )
}

/** Each title and description may be this long, whatever the share of `wordsOfPage`. Characters. */
const wordsMin = 60
/** Maximum length of a title or description. Characters. */
const wordsMax = 500
const wordsFor = (fields: number): number =>
  Math.max(wordsMin, Math.min(wordsMax, Math.floor(wordsOfPage / fields / 2)))

interface FieldsProps extends Pick<TypeProps, 'seen' | 'fields' | 'type' | 'of' | 'facts'> {}

/** A field with its facts. */
interface Row extends FieldFacts {
  readonly field: Field
}

function Fields({ seen, fields, type, of, facts }: FieldsProps) {
  const rows = fields.map((field): Row => ({ field, ...facts.of(type, field.name) }))
  return (
    <DataTable
      class="data stacked properties"
      label={`Properties of ${shownName(type)}`}
      items={rows}
      keyOf={({ field: { name } }) => name}
      columns={[
        { header: 'Property', cell: ({ field }) => <Property field={field} /> },
        { label: 'Kind', cell: ({ field }) => <Kind kind={field.type} refersTo={field.refersTo} /> },
        ...(rows.some(({ filled, example }) => filled !== undefined || example !== undefined)
          ? factColumns(seen)
          : []),
        {
          header: 'Rules',
          class: 'quiet',
          cell: ({ field: { rules } }) => shownMarks(rules.join('; ')) || null,
        },
        {
          header: 'Description',
          dir: 'auto',
          cell: ({ field: { title, description } }) =>
            [title, description]
              .filter((text) => text !== undefined)
              .map((text) => cutText(text, wordsFor(fields.length * of)))
              .join('. ') || null,
        },
        ...(new Set(rows.map(({ since }) => since)).size > 1
          ? [{ label: 'Since', class: 'quiet', cell: ({ since }: Row) => since ?? null }]
          : []),
      ]}
    />
  )
}

const Property = ({ field: { name, isRequired, isPrivate } }: { field: Field }) => (
  <>
    <code>{cutName(name, nameMax)}</code> {isRequired && <span class="required">required</span>}{' '}
    {isPrivate && <Badge tone="private">Private</Badge>}
  </>
)

const factColumns = (seen: VisitedCollection): Column<Row>[] => [
  {
    label: 'Filled',
    isNumber: true,
    cell: ({ filled: [some, all] = [0, 0], isLeast = false }) =>
      all > 0 && (
        <span title={`${isLeast ? 'at least ' : ''}${countText(some)} of ${counted(all, 'record')}`}>
          {isLeast && '≥ '}
          {some === 0 ? '0 %' : shareText(some, all)}
        </span>
      ),
  },
  {
    label: 'Example',
    class: 'example',
    cell: ({ field, example }) =>
      example !== undefined && (
        <Value
          seen={seen}
          value={example}
          most={exampleMax}
          unfoldedAt={exampleUnfoldedMax}
          refersTo={isCutValue(example) ? undefined : field.refersTo}
          isQuantity={areQuantities(field.name, [example])}
        />
      ),
  },
]

const Kind = ({ kind, refersTo }: { kind: string; refersTo: string | undefined }) => (
  <>
    <bdi>{cutText(kind, nameMax)}</bdi>
    {refersTo !== undefined && (
      <>
        {' → '}
        <a href={`#type-${cutText(refersTo, nameMax)}`}>
          <Name of={refersTo} most={nameMax} />
        </a>
      </>
    )}
  </>
)
