/** Types of pages. A page renders a visit; it reads through the registry with the visitor's rights. */
import { parseJson } from '@ulmus/content'
import {
  type Caller,
  JsonText,
  jsonOf,
  type Principal,
  type Registry,
  type RegistryError,
} from '@ulmus/registry'
import type { ComponentChildren } from 'preact'

/** A package that this server offers to its users. */
export interface Download {
  /** Name of the package, with `ulmus-` for `@ulmus/`. */
  readonly name: string
  /** File name under `/downloads/`. */
  readonly file: string
  /** Bytes. */
  readonly size: number
  /** Lowercase hexadecimal. */
  readonly sha256: string
}

/** Only a server that runs from sources builds the packages; in a release they are always `ready`. */
export type DownloadsState =
  | { readonly kind: 'ready'; readonly downloads: readonly Download[] }
  | { readonly kind: 'building' }
  | { readonly kind: 'failed' }

/** A page of the API reference. */
export interface ReferencePage {
  /** `api`, or `api/` and the name of a group of operations. */
  readonly name: string
  readonly title: string
  markdown(): string
}

/** One request of a page. Every call of `registry` takes `who`, or on pages of a collection `VisitedCollection.who`. */
/** Name and links that the operator gives the site. */
export interface Site {
  /** Default: `Ulmus`. */
  readonly name: string
  /** Links of the footer, as an imprint. */
  readonly links: readonly { readonly label: string; readonly url: string }[]
  /** `mailto:…` or `https:…` of the operator. */
  readonly contact: string | undefined
  /** Colour of the line above all pages, `#2f8f52`. Default: none. */
  readonly color: string | undefined
  /** Path of the picture in the head. Default: the leaf. */
  readonly logo: string | undefined
}

export const usualSite: Site = {
  ...{ name: 'Ulmus', links: [] },
  ...{ contact: undefined, color: undefined, logo: undefined },
}

export interface Visit {
  readonly registry: Registry
  /** The visitor's rights. */
  readonly who: Principal
  /** The signed-in user, if any. */
  readonly caller: Caller | undefined
  /** Parts of the path by name, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Requested path and query. */
  readonly url: URL
  /** Public address of this server, as `https://registry.example`, for examples to copy. */
  readonly origin: string
  readonly site: Site
  /** True if readmes show images of other sites, which then learn their readers' addresses. */
  readonly readmeImages: boolean
  /** The packages of `/downloads`. */
  downloads(): DownloadsState
  /** Pages of `/docs/api`: the list of all operations, then the groups. The same objects at each call. */
  reference(): readonly ReferencePage[]
  /** Path of a script of `islands/`, for code that starts it itself. */
  script(name: string): string
}

export interface FeedLink {
  readonly format: 'Atom' | 'JSON Feed'
  readonly path: string
  /** What it has entries of. Default: `Versions`. */
  readonly title?: string
}

/** Media types of feeds. */
export const feedTypes: Readonly<Record<FeedLink['format'], string>> = {
  Atom: 'application/atom+xml',
  'JSON Feed': 'application/feed+json',
}

/** A page to be rendered. */
export interface View {
  /** Title of the document; `·` and the name of the site are added. */
  readonly title: string
  /** Description of the document for search engines and previews. Default: none. */
  readonly description?: string
  /** Canonical path, if the page has several. Default: the requested path without its query. */
  readonly canonical?: string
  /** Path on paper: of this page in this version, for pages that change with the latest one. Default: the requested path. */
  readonly onPaper?: string
  /** Path of the same content as JSON. */
  readonly json?: string
  /** Its feeds. Default: none. */
  readonly feeds?: readonly FeedLink[]
  /** `Link` header, for programs. Default: none. */
  readonly links?: string
  /** schema.org JSON-LD for search engines. */
  readonly dataset?: object
  /** False: search engines must not index it. Default: true. */
  readonly isPublic?: boolean
  /** Seconds after which browsers without scripts load it again; others ask for its content. Default: never. */
  readonly reloadSeconds?: number
  /** True: parts of it follow, and its script puts them in. Default: false. */
  readonly isPartial?: boolean
  /** Names of the islands on the page. Default: none. */
  readonly islands?: readonly string[]
  /** Refusal that sets the HTTP status. Default: none, 200. */
  readonly refused?: RegistryError | undefined
  readonly body: ComponentChildren
}

/** Redirects the browser. @param status 303 after a form, 302 temporarily, 301 and 308 permanently */
export class Redirect {
  readonly to: string
  readonly status: 301 | 302 | 303 | 308

  constructor(to: string, status: 301 | 302 | 303 | 308 = 303) {
    this.to = to
    this.status = status
  }
}

/** An answer that is not a page: a feed, a list for programs. */
export class Plain {
  readonly type: string
  readonly text: string

  constructor(type: string, text: string) {
    this.type = type
    this.text = text
  }
}

export type Answer = View | Redirect | Plain

/** Fields of a form by name; of several with one name, the last. */
export type Form = Readonly<Record<string, string>>

/** A page as `pages/table.ts` names it. */
export interface Page {
  /** Renders the page. @throws errors of services, for which a refusal page is shown */
  show(visit: Visit): Promise<Answer>
  /** Handles its form. Refusals appear on the form with the entered values. Default: no form. */
  act?(visit: Visit, form: Form): Promise<Answer>
  /** True: redirect visitors to sign-in first. Default: false. */
  readonly needsCaller?: boolean
}

/** Parses an answer that is, or contains, stored JSON. */
export const readJson = <T>(answer: unknown): T =>
  parseJson(String(answer instanceof JsonText ? Buffer.concat(answer.pieces) : jsonOf(answer))) as T

/** Size of stored JSON in bytes. */
export const jsonBytes = ({ pieces }: JsonText): number => pieces.reduce((sum, { length }) => sum + length, 0)

/** An own member of an object; undefined: it has none of that name. Users choose names, and every object has a `toString`. */
export const own = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
