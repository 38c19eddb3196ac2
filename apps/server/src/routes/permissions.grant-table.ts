/**
 * Permissions of API operations for collaborators: `rd`, `wr` and `mg` have the grant read, write and admin on the public and the private
 * collection, and no role in their owner; with a browser session, or with a key of the scope in the suffix. Words as in permissions.table.ts,
 * and `grant` for insufficient_grant. Both collections give the same answers; for all others collaborators are strangers (`str`).
 */
import { inCollection } from './permissions.table.ts'

export const collaborators = [
  ...['rd', 'rd-read', 'rd-write'],
  ...['wr', 'wr-read', 'wr-write'],
  ...['mg', 'mg-read', 'mg-write'],
] as const

interface Row {
  readonly operations: readonly string[]
  readonly row: string
}

const operationsOf = (name: string) => inCollection[name]!.operations

// biome-ignore format: a table
export const byGrant: Readonly<Record<string, Row>> = {
  'reading': {
    operations: ['reading', 'reporting', 'asking in SQL', 'following work'].flatMap(operationsOf),
    //   rd     rd-r   rd-w   wr     wr-r   wr-w   mg     mg-r   mg-w
    row: '+      +      +      +      +      +      +      +      +',
  },
  'working': {
    operations: operationsOf('working'),
    row: 'grant  scope  grant  +      scope  +      +      scope  +',
  },
  'warning of a version': {
    operations: operationsOf('warning of a version'),
    row: 'grant  scope  grant  +      scope  +      +      scope  +',
  },
  'changing settings': {
    operations: operationsOf('changing settings'),
    row: 'grant  scope  grant  grant  scope  grant  +      scope  +',
  },
  'seeing who has access': {
    operations: operationsOf('seeing who has access'),
    row: 'grant  grant  grant  grant  grant  grant  +      +      +',
  },
  'trusting publishers and collaborators': {
    operations: [
      'listPublishers', 'createPublisher', 'getPublisher', 'updatePublisher', 'removePublisher',
      'setCollaborator', 'removeCollaborator',
    ],
    row: 'grant  scope  scope  grant  scope  scope  +      scope  scope',
  },
  'withdrawing, and giving away': {
    operations: ['withdrawVersion', 'previewRecordErasure', 'eraseRecord', 'transferCollection'],
    row: 'grant  scope  scope  grant  scope  scope  grant  scope  scope',
  },
  'deleting': {
    operations: ['deleteCollection'],
    row: 'grant  scope  grant  grant  scope  grant  grant  scope  grant',
  },
  'having webhooks': {
    operations: operationsOf('having webhooks'),
    row: '+      scope  scope  +      scope  scope  +      scope  scope',
  },
  'forking into an organization': {
    operations: ['forkCollection'],
    // They are no members of it.
    row: 'member scope  member member scope  member member scope  member',
  },
}
