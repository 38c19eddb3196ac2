/** `…/edit`: description, topics, readme, licence and other metadata. Saving makes a patch version. */
import { jsonFault, parseJson } from '@ulmus/content'
import { Field, Refusal, Suggestions } from '../../components/form.tsx'
import { Empty } from '../../components/small.tsx'
import { seeVersion, type VersionResponse } from '../../data/collection.ts'
import { licenceMeant, suggestedLicences } from '../../data/licence.ts'
import { afterSaving } from '../../data/saved.ts'
import { Again, type FormState, formPage, refusedField, typed } from '../../form.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Answer, type Form, Redirect, readJson, type View, type Visit } from '../../page.ts'
import { versionPath } from '../../paths.ts'
import { readmeOf } from '../../readme/readme.ts'

const own = ['description', 'readme', 'license']
/** Timeout of a preview, which may first have to start the rendering process. */
const previewMilliseconds = 3_000

export const edit = formPage(
  async (visit, form) =>
    form['do'] === 'preview' ? new Again({ form, isPreview: true }) : save(visit, form),
  editPage,
)

const metadataOf = (version: VersionResponse | null): Record<string, unknown> =>
  version === null ? {} : readJson(version.metadata)

/** Sends only changed fields, so that concurrent changes of other fields are kept. */
async function save(visit: Visit, form: Form): Promise<Answer> {
  const { seen, version } = await seeVersion(visit)
  const before = metadataOf(version)
  demandLicence(form, before['license'])
  const after: Record<string, unknown> = { ...othersIn(form) }
  for (const name of own) {
    const text = typed(form, name)
    if (text !== undefined) after[name] = text
  }
  const topics = typed(form, 'keywords')
  if (topics !== undefined) after['keywords'] = keywordsFrom(topics, before['keywords'])
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])]
  const changed = names.filter((name) => JSON.stringify(before[name]) !== JSON.stringify(after[name]))
  const patch = Object.fromEntries(changed.map((name) => [name, after[name] ?? null]))
  // The collection's own description, typed at its creation, would show again.
  if (after['description'] === undefined && seen.description !== null)
    await visit.registry.collections.patch(visit.who, seen, { description: null })
  const made = await visit.registry.metadata.update(
    visit.who,
    seen,
    patch as Parameters<typeof visit.registry.metadata.update>[2],
  )
  const path = versionPath({ owner: seen.owner, slug: seen.slug })
  return new Redirect(afterSaving(path, 'metadata', made.unchanged ? undefined : made.semver))
}

/**
 * Asks once about a new licence that SPDX writes otherwise. The form repeats the licence as `asked`; saving it again keeps it as typed.
 * @throws invalid_request
 */
function demandLicence(form: Form, before: unknown): void {
  const license = typed(form, 'license')
  if (license === undefined || license === before || license === form['asked']) return
  const meant = licenceMeant(license)
  if (meant === undefined) return
  throw refusedField(
    'license',
    `Did you mean ${meant}? Correct it, or save again to keep it as you typed it.`,
  )
}

/** Keywords as one text with commas, if `keywordsFrom` can restore them; else empty. */
function keywordsText(keywords: unknown): string {
  const parts = Array.isArray(keywords) ? keywords : [keywords]
  const isPlain = (part: unknown) =>
    typeof part === 'string' && part === part.trim() && part !== '' && !/\p{Cc}/u.test(part)
  const isOneText = (part: string) => !Array.isArray(keywords) || !part.includes(',')
  return parts.every((part) => isPlain(part) && isOneText(part)) ? parts.join(', ') : ''
}

/** Keywords from a text with commas: a text if they were one, else a list. */
const keywordsFrom = (text: string, before: unknown): string | string[] =>
  typeof before === 'string'
    ? text
    : text
        .split(',')
        .map((part) => part.trim())
        .filter((part) => part !== '')

/** @throws invalid_request if the text is not a JSON object */
function othersIn(form: Form): Record<string, unknown> {
  const text = typed(form, 'others') ?? '{}'
  const wrong = (message: string) => refusedField('others', message)
  const fault = jsonFault(text)
  if (fault !== undefined) throw wrong(fault)
  const value: unknown = parseJson(text)
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw wrong('This must be a JSON object.')
  return Object.fromEntries(Object.entries(value).filter(([name]) => !own.includes(name)))
}

async function editPage(
  visit: Visit,
  { form, error, isPreview }: FormState<{ isPreview: boolean }>,
): Promise<View> {
  const { seen, version } = await seeVersion(visit)
  seen.demand('write')
  const metadata = metadataOf(version)
  const text = (name: string) => (typeof metadata[name] === 'string' ? metadata[name] : '')
  const meant = licenceMeant(text('license'))
  const keywords = keywordsText(metadata['keywords'])
  const isElsewhere = (name: string) => own.includes(name) || (name === 'keywords' && keywords !== '')
  const others = Object.fromEntries(Object.entries(metadata).filter(([name]) => !isElsewhere(name)))
  const preview =
    isPreview === true ? await readmeOf(form['readme'], seen, visit, previewMilliseconds) : undefined
  return {
    title: `Edit ${seen.owner}/${seen.slug}`,
    islands: ['json-field'],
    body: (
      <CollectionPage seen={seen} tab="overview">
        {seen.latest === null ? (
          <Empty title="There is no version to describe yet.">
            <p>Publish one first. Until then, the name and description are in the settings.</p>
          </Empty>
        ) : (
          <div class="narrow">
            <h2>Edit metadata</h2>
            <p>
              It becomes version <span class="semver">{seen.next.other}</span>. Records stay as they are.
            </p>
            <Refusal error={error} />
            <form method="post" class="form">
              <Field
                name="description"
                label="Description"
                form={form}
                value={text('description') || (seen.description ?? '')}
                lines={2}
              />
              <Field
                name="keywords"
                label="Topics"
                form={form}
                value={keywords}
                help="Separated by commas. Lists and searches find the collection by them."
              />
              <Field
                name="license"
                label="Licence"
                form={form}
                value={text('license')}
                help={
                  <>
                    An identifier of{' '}
                    <a href="https://spdx.org/licenses/" rel="noopener">
                      SPDX
                    </a>
                    , such as CC0-1.0, CC-BY-4.0 or ODbL-1.0; or the address of a licence.
                    {meant !== undefined && ` SPDX writes it ${meant}.`}
                  </>
                }
                list="licences"
              />
              <Suggestions id="licences" values={suggestedLicences} />
              {error !== undefined && <input type="hidden" name="asked" value={typed(form, 'license')} />}
              <Field
                name="readme"
                label="Readme"
                form={form}
                value={text('readme')}
                lines={16}
                help="Markdown."
              />
              <Field
                name="others"
                label="Other metadata"
                form={form}
                value={JSON.stringify(others, null, 2)}
                lines={6}
                isJson
                help={
                  <>
                    A JSON object. Citations use <code>title</code> and <code>creators</code>.
                  </>
                }
              />
              <p class="actions">
                <button type="submit" class="primary" name="do" value="save">
                  Save as {seen.next.other}
                </button>
                <button type="submit" name="do" value="preview">
                  Preview the readme
                </button>
              </p>
            </form>
            {preview !== undefined && (
              <section aria-label="Preview">
                <h2>Preview</h2>
                <article class="prose" dangerouslySetInnerHTML={{ __html: preview }} />
              </section>
            )}
          </div>
        )}
      </CollectionPage>
    ),
  }
}
