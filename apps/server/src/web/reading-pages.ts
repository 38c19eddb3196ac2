/** Pages of a collection that every reader of it may see, for tests. Derived from the table of pages, so that new pages are tested too. */
import { type PageName, type PagePath, table, withForm } from '@ulmus/web'

/** Pages without a form that are excluded: one is for members, one redirects to a comparison. */
const others: readonly PageName[] = ['push', 'compareForm']
const ofVersion = '/:owner/:slug/v/:version'

/** Their paths in the table, such as `/:owner/:slug/v/:version/schemas`. */
export const readingPages = (Object.entries(table) as [PagePath, PageName][])
  .filter(([path, name]) => /^\/:owner\/:slug\b/.test(path) && !withForm.has(name) && !others.includes(name))
  .map(([path]) => path)

interface PagePlaces {
  /** A record. Default: `1` of the type `A`. */
  readonly type?: string
  readonly id?: string
  /** Slug of a saved question. Default: `asked`. */
  readonly question?: string
  /** Compared versions. Default: one version with itself. */
  readonly pair?: string
}

/** Addresses of these pages for the latest version. @param at path of the collection: `/ada/cities` */
export function readingPaths(at: string, { pair = 'v1.0.0...v1.0.0', ...record }: PagePlaces = {}): string[] {
  const [, from, slug] = at.split('/')
  return readingPages
    .filter((path) => !path.startsWith(ofVersion))
    .map((path) => path.replace(':from/:pair', `${from}/${slug}@${pair}`).replace(':pair', pair))
    .map((path) => `${at}${fill(path.slice('/:owner/:slug'.length), record)}`)
}

/** Ends of the paths of each version's pages, such as `/records/A/1`; empty for the overview. */
export const versionPaths = (record: PagePlaces = {}): string[] =>
  readingPages
    .filter((path) => path.startsWith(ofVersion))
    .map((path) => fill(path.slice(ofVersion.length), record))

function fill(path: string, { type = 'A', id = '1', question = 'asked' }: PagePlaces): string {
  const [atType, atId] = [encodeURIComponent(type), encodeURIComponent(id)]
  if (path === '/record') return `${path}?type=${atType}&id=${atId}`
  return path
    .replace(':type', () => atType)
    .replace(':id', () => atId)
    .replace(':question', question)
}
