/** `…/records/:type/:id`: one record with its fields, its history, and a link to its proof. */

import { type Field, fieldsMax, fieldsOf, tellingField } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import { Places } from '../../components/place.tsx'
import { Badge, Icon, Name, ShortHash, Time } from '../../components/small.tsx'
import { Value, wholeMax } from '../../components/values/value.tsx'
import { schemaIn, seeVersion, type VersionResponse, type VisitedCollection } from '../../data/collection.ts'
import { filesOfRecords, type NamedFile } from '../../data/files.ts'
import { readNeighbours, readReferrers } from '../../data/neighbours.ts'
import { knownNumbers, knownProfiles, type Profiles } from '../../data/profiles.ts'
import {
  fieldsBeside,
  isObject,
  nameOf,
  namesOfReferences,
  type PageRecord,
  readRecords,
} from '../../data/records.ts'
import { areQuantities, cutName, cutText, shownName, sizeText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { own, type Page, type Visit } from '../../page.ts'
import {
  apiVersionPath,
  collectionPath,
  pathInVersion,
  recordPath,
  versionPath,
  withQuery,
} from '../../paths.ts'
import { resultIn } from '../../record-table/address.ts'
import { Beside, ReferredBy, Removal, Work } from './record-links.tsx'

/** Maximum number of versions in the history. */
const historyMax = 20
/** Maximum number of fields shown; fields that the record has come first. */
const shownMax = 500
/** Total length of all values, which share it equally, except for `valueMin`. Characters. */
const valuesMax = 300_000
/** Each value may be this long, even if there are many. Characters. */
const valueMin = 400

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  const query = visit.url.searchParams
  const type = visit.params['type'] ?? query.get('type') ?? ''
  const id = visit.params['id'] ?? query.get('id') ?? ''
  const schema = version === null ? undefined : schemaIn(version, type)
  const [record] = schema === undefined ? [] : (await readRecords(visit, seen, { type, id, schema })).records
  if (version === null || schema === undefined || record === undefined)
    throw new RegistryError('record_not_found', { say: { type, id } })
  const fields = fieldsOf(schema, fieldsMax)
  const name = nameOf(record, tellingField(fields))
  const result = resultIn(query)
  const [profiles, names, files, neighbours, referrers, history] = await Promise.all([
    knownProfiles(visit, seen, type),
    namesOfReferences(visit, seen, version, record, fields),
    filesOfRecords(visit, seen, [record.data]),
    readNeighbours(visit, seen, { type, id }, result),
    readReferrers(visit, seen, version, { type, id }),
    visit.registry.histories.list(seen.who, { ...seen, type, id }, { limit: historyMax }),
  ])
  return {
    title: `${cutName(name ?? id, 80)} · ${shownName(type)} · ${seen.owner}/${seen.slug}`,
    description: `The record ${cutName(id, 80)} of type ${shownName(type)} in ${seen.owner}/${seen.slug}.`,
    canonical: recordPath(seen, type, id),
    onPaper: pathInVersion(seen, version.semver, visit.url),
    isPublic: seen.isPublic,
    islands: ['verify'],
    json: apiVersionPath(seen, 'records', type, id),
    body: (
      <CollectionPage seen={seen} tab="records" type={type}>
        <nav class="crumbs" aria-label="Where this is">
          <a href={seen.inView(versionPath(seen, 'records', type))}>
            <Name of={type} />
          </a>{' '}
          /{' '}
          <code>
            <Name of={id} most={200} />
          </code>
          {neighbours !== undefined && <Beside {...{ seen, type, neighbours, result }} />}
        </nav>
        <div class="columns">
          <div>
            <div class="record-head">
              <h2 class="record-name">
                <Name of={name ?? id} most={300} />
              </h2>
              {seen.may('write') && seen.version === undefined && <Work seen={seen} record={record} />}
            </div>
            <Places data={record.data} />
            <Fields {...{ seen, record, fields, profiles, names, files }} />
            {referrers.length > 0 && <ReferredBy seen={seen} referrers={referrers} />}
          </div>
          <aside>
            <Facts seen={seen} record={record} version={version} proof={proofPath(seen, version, record)} />
            <History
              seen={seen}
              type={type}
              id={id}
              items={history.items}
              isWhole={history.links.next === undefined}
            />
            {seen.may('withdraw') && <Removal seen={seen} type={type} id={id} />}
          </aside>
        </div>
      </CollectionPage>
    ),
  }
}

export const record: Page = { show }

interface FieldsProps {
  seen: VisitedCollection
  record: PageRecord
  fields: readonly Field[]
  /** Of the records of the type, if they are known. */
  profiles: Profiles | undefined
  /** Labels of referenced records. */
  names: ReadonlyMap<string, string>
  /** Files that the record refers to. */
  files: ReadonlyMap<string, NamedFile>
}

function Fields({ seen, record, fields, profiles, names, files }: FieldsProps) {
  const { data } = record
  if (data === undefined) {
    return (
      <p class="note">
        This record has {sizeText(record.bytes)}, too much for a page.{' '}
        <a href={apiVersionPath(seen, 'records', record.type, record.id)}>Read it as JSON</a>
      </p>
    )
  }
  if (!isObject(data)) return <Value value={data} {...{ seen, names, files }} />
  const all = [...fields, ...fieldsBeside(fields, [record])]
  const isThere = ({ name }: Field) => Object.hasOwn(data, name)
  const ordered =
    all.length > shownMax ? [...all.filter(isThere), ...all.filter((one) => !isThere(one))] : all
  const rendered = ordered.slice(0, shownMax)
  const wholeAt = Math.max(valueMin, Math.min(wholeMax, Math.floor(valuesMax / rendered.length)))
  return (
    <>
      <dl class="fields">
        {rendered.map(({ name, title, description, isPrivate, refersTo }) => (
          <div key={name}>
            <dt>
              <Name of={title ?? name} most={100} />
              {title !== undefined && (
                <>
                  {' '}
                  <code class="quiet">{cutName(name, 100)}</code>
                </>
              )}{' '}
              {isPrivate && <Badge tone="private">Private</Badge>}
              {description !== undefined && (
                <p class="help" dir="auto">
                  {cutText(description, wholeAt)}
                </p>
              )}
            </dt>
            <dd>
              <Value
                value={own(data, name)}
                {...{ seen, refersTo, names, files, wholeAt }}
                isQuantity={areQuantities(
                  name,
                  knownNumbers(profiles?.get(name), () => [own(data, name)]),
                )}
              />
            </dd>
          </div>
        ))}
      </dl>
      {ordered.length > rendered.length && (
        <p class="quiet">
          and {ordered.length - rendered.length} more values,{' '}
          <a href={apiVersionPath(seen, 'records', record.type, record.id)}>as JSON</a>
        </p>
      )}
    </>
  )
}

const proofPath = (
  { owner, slug }: VisitedCollection,
  { semver }: VersionResponse,
  { type, id }: PageRecord,
): string =>
  withQuery(apiVersionPath({ owner, slug, version: semver }, 'records', type, id), { proof: 'true' })

interface FactsProps {
  seen: VisitedCollection
  record: PageRecord
  version: VersionResponse
  /** Address of the record's proof. */
  proof: string
}

const Facts = ({ seen, record, version, proof }: FactsProps) => (
  <>
    <h2 class="sr-only">About</h2>
    <dl class="facts-list">
      <dt>Version</dt>
      <dd>
        <a class="semver" href={recordPath({ ...seen, version: version.semver }, record.type, record.id)}>
          {version.semver}
        </a>
      </dd>
      <dt>Size</dt>
      <dd>{sizeText(record.bytes)}</dd>
      <dt>Hash</dt>
      <dd>
        <ShortHash hash={record.hash} />
      </dd>
      <dt>Raw</dt>
      <dd>
        <a href={apiVersionPath(seen, 'records', record.type, record.id)}>JSON</a>
      </dd>
    </dl>
    <section class="verify">
      <h2>Verify</h2>
      <p class="quiet">
        <a href={proof}>Its proof</a> shows that it belongs to the digest <ShortHash hash={version.hash} />{' '}
        without trust in this registry. <a href="/docs/verifying">How to check it</a>
      </p>
      <button type="button" id="verify" data-proof={proof} data-digest={version.hash} hidden>
        <Icon name="shield" />
        Verify here
      </button>
      <div id="verified" aria-live="polite" />
    </section>
  </>
)

interface HistoryProps {
  seen: VisitedCollection
  type: string
  id: string
  items: readonly { semver: string; change: string; createdAt: string }[]
  isWhole: boolean
}

const History = ({ seen, type, id, items, isWhole }: HistoryProps) => (
  <section>
    <h2>History</h2>
    <ol class="history">
      {items.map(({ semver, change, createdAt }, index) => (
        <li key={semver}>
          {change === 'removed' ? (
            <span class="semver">{semver}</span>
          ) : (
            <a class="semver" href={recordPath({ ...seen, version: semver }, type, id)}>
              {semver}
            </a>
          )}{' '}
          {change} <Time at={createdAt} />
          {change === 'updated' && items[index + 1] !== undefined && (
            <>
              {' '}
              ·{' '}
              <a
                href={withQuery(collectionPath(seen, 'compare', `${items[index + 1]!.semver}...${semver}`), {
                  type,
                  id,
                })}
              >
                what changed
              </a>
            </>
          )}
        </li>
      ))}
    </ol>
    {!isWhole && (
      <p class="quiet">
        The latest {historyMax}.{' '}
        <a
          href={`/api/collections/${seen.owner}/${seen.slug}/records/${encodeURIComponent(type)}/${encodeURIComponent(id)}/history`}
        >
          All, as JSON
        </a>
      </p>
    )}
  </section>
)
