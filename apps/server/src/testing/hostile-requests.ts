/** GET requests of all operations and of the pages for every reader, about a collection of `hostile-content.ts`. */

import { type OperationName, operations } from '@ulmus/wire'
import { readingPages } from '../web/reading-pages.ts'
import type { HostileCollection } from './hostile-content.ts'

export interface HostileRequest {
  readonly route: string
  /** With `/api` for operations. */
  readonly path: string
  readonly as: 'anyone' | 'owner'
}

const some = encodeURIComponent
const wrongId = '01890000-0000-7000-8000-000000000000'
const eight = (names: readonly string[]) =>
  names
    .slice(0, 8)
    .map((name) => `facet=${some(name)}`)
    .join('&')

/** Queries that ask for the most, by operation. Default: none. An operation that requires one needs a row. */
const queries: { readonly [N in OperationName]?: (of: HostileCollection, type: string) => string[] } = {
  'GET /api/collections': () => ['?limit=100'],
  'GET /api/accounts/:owner/collections': () => ['?limit=100'],
  'GET /api/accounts/me/collections': () => ['?limit=100'],
  'GET /api/collections/:owner/:slug/versions': () => ['?limit=100'],
  'GET /api/collections/:owner/:slug/versions/:v/diff': ({ versions }) => [`?from=${versions[0]}&limit=2000`],
  'GET /api/collections/:owner/:slug/versions/:v/diff.ndjson': ({ versions }) => [`?from=${versions[0]}`],
  'GET /api/collections/:owner/:slug/versions/:v/manifest': ({ versions }) => [
    '?limit=10000',
    `?limit=10000&since=${versions[0]}`,
  ],
  'GET /api/collections/:owner/:slug/versions/:v/records': () => ['?limit=2000'],
  'GET /api/collections/:owner/:slug/versions/:v/records/:type/:id': () => ['', '?proof=true'],
  'GET /api/collections/:owner/:slug/export': ({ versions }) => [`?version=${versions[1]}`],
  'GET /api/collections/:owner/:slug/versions/:v/tables/:type/rows': () => [
    '?limit=1000',
    '?limit=1000&columns=_id',
    '?limit=1000&q=x&sort=-_id',
  ],
  'GET /api/collections/:owner/:slug/versions/:v/tables/:type/facets': ({ fields }, type) => [
    `?${eight(['_id', ...fields(type)])}`,
    `?${eight(['_id', ...fields(type)])}&filter=_id%20notnull`,
  ],
  'GET /api/collections/:owner/:slug/versions/:v/sql': (_, type) => [
    `?sql=${some(`SELECT * FROM "${type}"`)}`,
  ],
}

/** Queries of pages. */
const pageQueries: Readonly<Record<string, (of: HostileCollection, type: string) => string[]>> = {
  '/:owner/:slug/records/:type': ({ fields }, type) => [
    '',
    '?profiles=1&facets=1',
    '?q=x&cite=1',
    '?view=chart',
    `?view=chart&x=_id&by=${some(fields(type)[0] ?? '_id')}`,
    '?view=map',
    '?view=map&q=x',
    `?view=map&coordinates=${some(fields(type)[0] ?? '_id')}`,
    `?filter=${some(`${fields(type)[0] ?? '_id'} notnull`)}`,
  ],
  '/:owner/:slug/schemas': (_, type) => ['', `?type=${some(type)}`],
  '/:owner/:slug/questions/:question': () => [],
  '/:owner/:slug/record': ({ id }, type) => [`?type=${some(type)}&id=${some(id)}`],
  '/:owner/:slug/sql': (_, type) =>
    ['', '&view=map'].map((view) => `?sql=${some(`SELECT * FROM "${type}"`)}${view}`),
}

/** Pages of the site and of accounts that list collections. */
const sitePages = ['/', '/explore', '/sitemap.xml', '/:owner', '/:owner/-/feed.atom']

export function hostileRequests(of: HostileCollection): HostileRequest[] {
  const asked = new Map<string, HostileRequest>()
  const add = (
    route: string,
    pattern: string,
    as: HostileRequest['as'],
    query: (type: string) => string[],
  ) => {
    for (const type of of.types) {
      const [, owner, slug] = of.path.split('/')
      const parts: Record<string, string> = {
        ...{ owner: owner!, slug: slug!, v: of.versions[1], version: of.versions[1], type, id: of.id },
        ...{ hash: of.file, pair: of.versions.join('...'), from: owner! },
      }
      const filled = pattern
        .replace(':from/:pair', `${owner}/${slug}@${of.versions.join('...')}`)
        .replace(/:(\w+)/g, (_, part: string) => some(parts[part] ?? wrongId))
      for (const end of query(type)) asked.set(`${filled}${end}`, { route, path: `${filled}${end}`, as })
    }
  }
  for (const [name, { entrance }] of Object.entries(operations)) {
    const [method, pattern] = name.split(' ') as [string, string]
    if (method !== 'GET' || /\/(?:admin|pushes|negotiate|webhooks|publishers|jobs|metadata)\//.test(pattern))
      continue
    const account = pattern.replace('/accounts/:slug', '/accounts/:owner')
    const query = queries[name as OperationName]
    const isForAnyone = entrance === undefined && !account.endsWith('/sql')
    add(name, account, isForAnyone ? 'anyone' : 'owner', (type) => query?.(of, type) ?? [''])
  }
  // Pages below `/v/:version` are the same ones.
  const pages = [...sitePages, ...readingPages.filter((path) => !path.includes('/v/:version'))]
  for (const path of pages)
    add(`page ${path}`, path, 'anyone', (type) => pageQueries[path]?.(of, type) ?? [''])
  return [...asked.values()]
}
