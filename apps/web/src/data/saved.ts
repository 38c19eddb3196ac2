/** Confirmation on the page after a form. The query only selects one of these sentences: it is never shown itself. */
import { withQuery } from '../paths.ts'

const changes = {
  added: '1 record added',
  changed: '1 record changed',
  deleted: '1 record deleted',
  type: '1 type added',
  schema: '1 schema changed',
  metadata: 'the metadata changed',
  restored: 'the content of an earlier version',
  file: 'the records of a file',
} as const

/** Sentences after forms that make no version. */
const sentences: ReadonlyMap<string | null, string> = new Map([
  ['same-content', 'Nothing was published: the latest version has this content already.'],
  ['settings', 'The settings are saved.'],
  ['question-saved', 'The question is saved.'],
  ['question-removed', 'The question is removed.'],
  ['publisher-added', 'The trusted publisher is added. Its jobs can publish now.'],
  ['publisher-removed', 'The trusted publisher is removed. Its keys ended.'],
  ['publishers-only', 'Saved: only trusted publishers make versions.'],
  ['publishers-and-members', 'Saved: people and their keys make versions, too.'],
  ['collaborator-set', 'The collaborator has this grant now.'],
  ['collaborator-removed', 'The collaborator is removed.'],
  ['invitation-removed', 'The invitation is cancelled.'],
])

/** Sentences for a visitor who began or ceased to be a collaborator, and may be no editor. */
const ownSentences: ReadonlyMap<string | null, string> = new Map([
  ['joined', 'You are a collaborator now.'],
  ['left', 'You left the collection: you are no longer its collaborator.'],
])

/** Undefined: the query selects no such sentence. */
export const ownText = (url: URL): string | undefined => ownSentences.get(url.searchParams.get('saved'))

/** Path of a page that confirms a change. @param semver the version that it made, if any */
export const afterSaving = (
  path: string,
  change: keyof typeof changes,
  semver: string | undefined,
): string => (semver === undefined ? path : withQuery(path, { saved: `${change}-${semver}` }))

/** Undefined: the query selects no sentence, or its version is no longer the latest. */
export function savedText(url: URL, latest: string | null): string | undefined {
  const saved = url.searchParams.get('saved')
  const sentence = sentences.get(saved)
  if (sentence !== undefined) return sentence
  const [change, text] = Object.entries(changes).find(([name]) => saved === `${name}-${latest}`) ?? []
  return change && `Version ${latest} is published: ${text}.`
}
