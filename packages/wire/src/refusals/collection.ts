/** Refusals of collections, their forks and their metadata. */
import { exampleId } from '../examples.ts'
import type { Refusal } from './refusal.ts'

export const collectionRefusals = {
  private_content: {
    kind: 'forbidden',
    sentence:
      'The collection has private records, types or fields, so only members of its owner can fork all of it. If it is public, fork its public view (`"view": "public"`), or ask its owner for membership.',
    meaning:
      'a caller who is not a member of the owner forks a collection with private records, types or fields',
    remedy:
      'Fork the public view with `"view": "public"`, or ask for membership in the organization that owns the source.',
  },
  collection_not_found: {
    kind: 'missing',
    sentence: (f) =>
      f.slug === undefined
        ? 'There is no such collection, or it was deleted.'
        : f.public === 'only'
          ? `There is no public or hidden collection \`${f.owner}/${f.slug}\`. Check the path; private collections cannot be hidden.`
          : `There is no collection \`${f.owner}/${f.slug}\`, or you cannot see it. Check the path; private collections require signing in as a member or collaborator.`,
    meaning: 'there is no such collection, or the caller may not see it',
    explanation: 'There is no such collection, or the caller may not see it. The answers are the same.',
    remedy: 'Check the path, and use the credential of a member or collaborator.',
    example: { say: { slug: 'cities', owner: 'ada' } },
  },
  collection_hidden: {
    kind: 'gone',
    sentence: (f) =>
      `The operators of this registry have hidden \`${f.owner}/${f.slug}\`. Ask them if you need it.`,
    meaning:
      'the operators of the registry have hidden the collection from all but its members and collaborators',
    explanation:
      'The operators of the registry have hidden the collection, or suspended its owner. Members and collaborators still read it. It can be shown again, with all versions.',
    remedy: 'Ask the operators of the registry. Members and collaborators sign in.',
    example: { say: { slug: 'cities', owner: 'ada' } },
  },
  hidden_by_operators: {
    kind: 'conflict',
    sentence: (f) =>
      `The operators of this registry have hidden \`${f.owner}/${f.slug}\`${f.reason ? `: ${String(f.reason).replace(/[^.!?]$/u, '$&.')}` : '.'} Only they can make it public again.`,
    meaning: 'the collection cannot be made public: the operators have hidden it',
    remedy: 'Ask the operators of the registry to show it.',
    example: { say: { slug: 'cities', owner: 'ada', reason: 'It names people who did not agree.' } },
  },
  too_many_reports: {
    kind: 'conflict',
    sentence: (f) =>
      `The operators have ${f.max} open reports about this collection, and will look at it. Report it again once they have closed them.`,
    meaning: 'the collection has 20 open reports, the maximum',
    remedy: 'Wait until the operators have looked at the collection.',
    example: { say: { max: 20 } },
  },
  report_not_found: {
    kind: 'missing',
    sentence: 'There is no report with this id, or it was removed with its collection.',
    meaning: 'there is no such report',
    explanation:
      'There is no report with this id: it was removed with its collection, or long after it was closed.',
    remedy: 'List `/api/admin/reports`.',
  },
  job_not_found: {
    kind: 'missing',
    sentence: 'The collection has no metadata job with this id.',
    meaning: 'the collection has no such metadata job',
    remedy: 'Check the `job_id`, and that it is of this collection.',
  },
  metadata_update_in_progress: {
    kind: 'conflict',
    sentence: 'Another metadata update of this collection is running. Wait for it to end, then try again.',
    meaning: 'another metadata update of this collection is running; `job_id` is its job',
    remedy: 'Poll that job, then try again.',
    members: ({ z }) => ({
      job_id: z.string().meta({ description: 'the running job.', examples: [exampleId] }),
    }),
    example: { details: { job_id: exampleId } },
  },
  too_many_collections: {
    kind: 'conflict',
    sentence: (f) =>
      `\`${f.owner}\` has ${f.max} collections, the maximum. Delete one first, or ask the operator for more.`,
    meaning: 'the account has the maximum number of collections',
    explanation: "The account has the maximum of collections: 10,000, or the operator's `MAX_COLLECTIONS`.",
    remedy: 'Delete a collection that is not needed, or ask the operator for more.',
    example: { say: { owner: 'ada', max: 100 } },
  },
} satisfies Readonly<Record<string, Refusal>>
