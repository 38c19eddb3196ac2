/** `…/schemas`: what the records of each type have. */

import { type Field, fieldsOf, type PlainSchema } from '@ulmus/content'
import { Badge, Empty, TableScroll } from '../../components/small.tsx'
import { type SeenCollection, schemaIn, seeVersion } from '../../data/collection.ts'
import { counted, cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../page.ts'
import { apiVersionPath, collectionPath, versionPath } from '../../paths.ts'

/** Types shown open, with their fields; those beyond are names until they are asked for, `?type=`. */
const typesMax = 30
const fieldsMax = 500
/** Of a raw schema. Characters. */
const rawMax = 60_000

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const asked = visit.url.searchParams.get('type')
  const types = Object.keys(version.schemas)
  const shown = asked === null ? types.slice(0, typesMax) : types.filter((type) => type === asked)
  const rest = types.filter((type) => !shown.includes(type))
  return {
    title: `Schemas · ${seen.owner}/${seen.slug}`,
    description: `Types of records in ${seen.owner}/${seen.slug}, with their fields.`,
    canonical: versionPath(seen, 'schemas'),
    isPublic: seen.isPublic,
    json: apiVersionPath(seen),
    body: (
      <CollectionPage seen={seen} tab="schemas">
        {types.length === 0 && <Empty title="This version has no types." />}
        {shown.map((type) => (
          <Type
            key={type}
            seen={seen}
            type={type}
            schema={schemaIn(version, type)!}
            count={version.typeCounts[type] ?? 0}
          />
        ))}
        {rest.length > 0 && (
          <nav class="choices" aria-label="Other types">
            {rest.slice(0, 1_000).map((type) => (
              <a key={type} class="choice" href={`?type=${encodeURIComponent(type)}`}>
                {type}
              </a>
            ))}
          </nav>
        )}
      </CollectionPage>
    ),
  }
}

export const schemas: Page = { show }

interface TypeProps {
  seen: SeenCollection
  type: string
  schema: PlainSchema
  count: number
}

function Type({ seen, type, schema, count }: TypeProps) {
  const fields = fieldsOf(schema)
  const raw = JSON.stringify(schema, null, 2)
  const { title, description } = schema
  return (
    <section class="type" id={`type-${type}`}>
      <div class="section-head">
        <h2>
          {type} {schema['private'] === true && <Badge tone="private">Private</Badge>}
        </h2>
        <a href={seen.inView(versionPath(seen, 'records', type))}>{counted(count, 'record')}</a>
      </div>
      {typeof title === 'string' && title !== type && <p class="name">{cutText(title, 300)}</p>}
      {typeof description === 'string' && <p>{cutText(description, 2_000)}</p>}
      {fields.length > 0 && <Fields fields={fields.slice(0, fieldsMax)} type={type} />}
      {fields.length > fieldsMax && (
        <p class="quiet">and {fields.length - fieldsMax} fields more, in the schema</p>
      )}
      {schema['additionalProperties'] === false && <p class="quiet">No other fields.</p>}
      <details class="raw">
        <summary>JSON Schema</summary>
        <pre class="json">{cutText(raw, rawMax)}</pre>
      </details>
    </section>
  )
}

const Fields = ({ fields, type }: { fields: readonly Field[]; type: string }) => (
  <TableScroll label={`Fields of ${type}`}>
    <table class="data">
      <thead>
        <tr>
          <th scope="col">Field</th>
          <th scope="col">Type</th>
          <th scope="col">Rules</th>
          <th scope="col">Description</th>
        </tr>
      </thead>
      <tbody>
        {fields.map(({ name, title, description, type: kind, rules, isRequired, isPrivate, refersTo }) => (
          <tr key={name}>
            <th scope="row">
              <code>{name}</code> {isRequired && <span class="required">required</span>}{' '}
              {isPrivate && <Badge tone="private">Private</Badge>}
            </th>
            <td>
              {kind}
              {refersTo !== undefined && (
                <>
                  {' → '}
                  <a href={`#type-${refersTo}`}>{refersTo}</a>
                </>
              )}
            </td>
            <td class="quiet">{rules.join('; ')}</td>
            <td>
              {[title, description]
                .filter((text) => text !== undefined)
                .map((text) => cutText(text, 500))
                .join('. ')}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  </TableScroll>
)
