/** A page: a path and a function that renders a visit. It reads through the registry, with the visitor's rights. */
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
  /** Of the package, `@ulmus/` written as `ulmus-`. */
  readonly name: string
  /** Its name under `/downloads/`. */
  readonly file: string
  /** Bytes. */
  readonly size: number
  /** Lowercase hexadecimal. */
  readonly sha256: string
}

export type DownloadsState =
  | { readonly kind: 'ready'; readonly downloads: readonly Download[] }
  | { readonly kind: 'building' }
  | { readonly kind: 'failed' }

export interface Visit {
  readonly registry: Registry
  /** The visitor's rights. */
  readonly who: Principal
  /** The signed-in user, if any. */
  readonly caller: Caller | undefined
  /** Parts of the path by name, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Path and query, as they were asked for. */
  readonly url: URL
  /** Public address of this server, as `https://registry.example`, for examples to copy. */
  readonly origin: string
  /** True if readmes show images of other sites, which then learn their readers' addresses. */
  readonly readmeImages: boolean
  /** The packages of `/downloads`. */
  downloads(): DownloadsState
  /** Path of a script of `islands/` by its name, for what starts it itself. */
  script(name: string): string
}

/** A page to be shown. */
export interface View {
  /** Of the document; `· Ulmus` is added. */
  readonly title: string
  /** Of the document, for search engines and previews. Default: none. */
  readonly description?: string
  /** Path of the one address under which this is found, where it has several. Default: the path asked for, without its query. */
  readonly canonical?: string
  /** Path of the same as JSON. */
  readonly json?: string
  /** Path of the same as an Atom feed. */
  readonly feed?: string
  /** schema.org JSON-LD for search engines. */
  readonly dataset?: object
  /** False: search engines must not index it. Default: true. */
  readonly isPublic?: boolean
  /** Seconds after which browsers load it again. Default: never. */
  readonly reloadSeconds?: number
  /** Names of the islands that take over parts of it. Default: none. */
  readonly islands?: readonly string[]
  /** Refusal that sets the HTTP status. Default: none, 200. */
  readonly refused?: RegistryError | undefined
  readonly body: ComponentChildren
}

/** Sends the browser elsewhere. @param status 303 after a form, 302 for now, 301 and 308 for good */
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

/** The fields of a form, by name; of several with one name, the last. */
export type Form = Readonly<Record<string, string>>

export interface Page {
  /** @throws what services throw: the page of that refusal is shown */
  show(visit: Visit): Promise<Answer>
  /** Handles its form. Refusals are shown on the form with the typed values. Default: no form. */
  act?(visit: Visit, form: Form): Promise<Answer>
  /** True: redirect visitors to sign-in first. Default: false. */
  readonly needsCaller?: boolean
}

/** The value of an answer that has stored JSON in it, or is nothing else. */
export const readJson = <T>(answer: unknown): T =>
  JSON.parse(String(answer instanceof JsonText ? Buffer.concat(answer.pieces) : jsonOf(answer))) as T

/** Bytes of stored JSON. */
export const jsonBytes = ({ pieces }: JsonText): number => pieces.reduce((sum, { length }) => sum + length, 0)
