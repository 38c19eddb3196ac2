/** `…/records/:type/:id/edit`: edits one record as JSON. Saving makes a version. */

import { fieldsOf, jsonFault } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import { OpenPush, type Version } from '@ulmus/wire'
import { Field, Refusal, type Refused } from '../../components/form.tsx'
import { Badge } from '../../components/small.tsx'
import {
  demandWork,
  readVersion,
  type SeenCollection,
  seeCollection,
  versionOf,
} from '../../data/collection.ts'
import { readRecords } from '../../data/records.ts'
import { checked, refusedField, submitted, typed } from '../../form.ts'
import { cutText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, type Page, Redirect, type Visit } from '../../page.ts'
import { recordPath } from '../../paths.ts'

export const editRecord: Page = {
  needsCaller: true,
  show: (visit) => editPage(visit, {}),
  act: (visit, form) =>
    submitted(
      () => save(visit, form),
      (error) => editPage(visit, { form, error }),
    ),
}

/** Pushes one line. Validation errors come from the schema. */
async function save(visit: Visit, form: Form): Promise<Answer> {
  const { registry, who, params } = visit
  const seen = await seeCollection(visit)
  const { type, id } = params as { type: string; id: string }
  const fault = jsonFault(form['data'] ?? '')
  if (fault !== undefined) throw refusedField('data', fault)
  const isPrivate = await isPushedAsPrivate(visit, seen, { type, id })
  const message = typed(form, 'message') ?? `Changed ${type} ${cutText(id, 100)}`
  const body = Buffer.from(JSON.stringify({ base_version: form['base'] ?? seen.latest, message }))
  const push = await registry.pushes.open(who, seen, once(body), (outline) => checked(OpenPush, outline))
  // Send the data as entered: the server refuses a number with too many digits, while parsing here would round it.
  const place = JSON.stringify({ id, type, ...(isPrivate ? { private: true } : {}) }).slice(0, -1)
  const line = Buffer.from(`${place},"data":${(form['data'] ?? '').replace(/[\r\n]+/g, ' ')}}\n`)
  try {
    await registry.pushes.receive(who, seen, push.session_id, 'records', once(line))
    await registry.pushes.commit(who, seen, push.session_id, { async: false })
  } catch (error) {
    await registry.pushes.cancel(who, seen, push.session_id).catch(() => {})
    throw error
  }
  return new Redirect(recordPath({ owner: seen.owner, slug: seen.slug }, type, id))
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

/** True if the record was pushed with `private: true`. Every push must repeat it. */
async function isPushedAsPrivate(
  { registry, who }: Visit,
  seen: SeenCollection,
  place: { type: string; id: string },
): Promise<boolean> {
  const cursor = Buffer.from(JSON.stringify([place.type, textBefore(place.id)])).toString('base64url')
  const page = await registry.manifests.page(who, versionOf(seen), { cursor, limit: 1 })
  const [first] = page.records ?? []
  return first?.type === place.type && first.id === place.id && first.private === true
}

/** A cursor just before a text in the order of UTF-8 bytes; no existing id lies in between. */
function textBefore(text: string): string {
  const last = [...text].at(-1)!
  const point = last.codePointAt(0)!
  const before = point === 0xe000 ? 0xd7ff : point - 1
  return before < 1
    ? text.slice(0, -last.length)
    : `${text.slice(0, -last.length)}${String.fromCodePoint(before)}\u{10ffff}`
}

async function editPage(
  visit: Visit,
  { form = {}, error }: { form?: Form; error?: Refused },
): Promise<Answer> {
  const seen = await seeCollection(visit)
  demandWork(seen)
  const { type, id } = visit.params as { type: string; id: string }
  const version = await readVersion(visit, seen)
  const [record] =
    version.schemas[type] === undefined
      ? []
      : (await readRecords(visit, seen, { type, id, schema: undefined })).records
  if (record?.data === undefined) throw new RegistryError('record_not_found', { say: { type, id } })
  return {
    title: `Edit ${cutText(id, 80)} · ${seen.owner}/${seen.slug}`,
    isPublic: false,
    refused: error,
    islands: ['json-field'],
    body: (
      <CollectionPage seen={seen} tab="records">
        <div class="narrow">
          <h2>
            Edit <bdi>{type}</bdi> <bdi>{cutText(id, 200)}</bdi>
          </h2>
          <p>Saving it makes the next minor version, in which this record alone differs.</p>
          <Wrong error={error} />
          <form method="post" class="form">
            <input type="hidden" name="base" value={form['base'] ?? version.semver} />
            <Field
              name="data"
              label="Data"
              form={form}
              value={JSON.stringify(record.data, null, 2)}
              lines={18}
              isJson
              required
            />
            <Field
              name="message"
              label="Message"
              form={form}
              help="What changed, for the list of versions."
            />
            <button type="submit" class="primary">
              Save as a new version
            </button>
          </form>
          <Rules version={version} type={type} />
        </div>
      </CollectionPage>
    ),
  }
}

/** Shows the invalid fields of a refused line. */
function Wrong({ error }: { error: Refused }) {
  const lines = error?.details['validationErrors'] as readonly RefusedLine[] | undefined
  const [line] = lines ?? []
  if (line === undefined) return <Refusal error={error} />
  const faults = line.errors ?? [{ path: '', message: line.message }]
  return (
    <div class="note bad" role="alert">
      <p>{line.errors === undefined ? 'This is not a record:' : 'The schema refuses it:'}</p>
      <ul>
        {faults.slice(0, 20).map(({ path, message }) => (
          <li key={`${path} ${message}`}>
            {path !== '' && <code>{path}</code>} {message}
          </li>
        ))}
      </ul>
    </div>
  )
}

interface RefusedLine {
  readonly message: string
  readonly errors?: readonly { path: string; message: string }[]
}

const Rules = ({ version, type }: { version: Version; type: string }) => (
  <details>
    <summary>
      What <bdi>{type}</bdi> may have
    </summary>
    <ul class="plain">
      {fieldsOf(version.schemas[type] as Record<string, unknown>)
        .slice(0, 200)
        .map(({ name, type: kind, rules, isRequired, isPrivate }) => (
          <li key={name}>
            <code>{cutText(name, 100)}</code> {kind} {isRequired && <span class="required">required</span>}{' '}
            {isPrivate && <Badge tone="private">Private</Badge>} <span class="quiet">{rules.join('; ')}</span>
          </li>
        ))}
    </ul>
  </details>
)
