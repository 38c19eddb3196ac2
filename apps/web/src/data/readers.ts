/** Words about the readers of a collection, and about the grants of collaborators. */
import type { Grant } from '@ulmus/wire'
import { counted } from '../format.ts'
import type { Visit } from '../page.ts'

/** Numbers of its readers; undefined for a visitor who reads the public view. */
export type ReaderCounts = Awaited<ReturnType<Visit['registry']['collaborators']['counts']>>

interface Readers {
  /** Slug of the owner. */
  readonly owner: string
  readonly counts: NonNullable<ReaderCounts>
  /** True: the owner is the visitor. */
  readonly isOwn: boolean
}

/** Readers of a private collection: `4 members of acme, 1 collaborator`. */
export function readersText({ owner, counts, isOwn }: Readers): string {
  const { members, collaborators } = counts
  const others = collaborators === 0 ? [] : [counted(collaborators, 'collaborator')]
  if (counts.owner === 'org') return [`${counted(members, 'member')} of ${owner}`, ...others].join(', ')
  if (others.length === 0) return isOwn ? 'you alone' : `${owner} alone`
  return `${isOwn ? 'you' : owner} and ${others[0]}`
}

/** Choices of a form: value, label, and what the grant adds. */
export const grantOptions: readonly (readonly [Grant, string, string])[] = [
  ['read', 'Read', 'all versions, with private content'],
  ['write', 'Write', 'also publish versions, edit, and warn of versions'],
  ['admin', 'Admin', 'also change settings, publishers, collaborators, and who may read it'],
]

/** Words for the rights of a grant, after “to” or “may”. */
export const grantWords: Readonly<Record<Grant, string>> = {
  read: 'read all of it',
  write: 'read all of it and publish',
  admin: 'read all of it, publish, and change its settings',
}
