/** Issuers whose tokens may be exchanged for keys: the file `TRUSTED_ISSUERS_FILE`, written by the operator. */
import { dirname, resolve } from 'node:path'
import { jsonFault, parseJson } from '@ulmus/content'
import { type IssuerKind, issuerKinds } from '@ulmus/storage'
import type { JSONWebKeySet } from 'jose'
import { hasPlainHost } from './outside/addresses.ts'
import { readSettingFile } from './settings/setting-file.ts'

export interface TrustedIssuer {
  /** Exactly as in `iss` of its tokens, also with or without a slash at the end. */
  readonly issuer: string
  readonly kind: IssuerKind
  /** Its public keys. Undefined: fetched from the issuer. */
  readonly jwks?: JSONWebKeySet
}

const members = ['issuer', 'kind', 'jwks']
const example =
  'Write it like [{"issuer": "https://token.actions.githubusercontent.com", "kind": "github"}], as in docs/publish-from-ci.md, "Configure issuers".'

/**
 * Reads the file: `[{"issuer": "https://gitlab.example", "kind": "gitlab", "jwks": "keys.json"}]`. `jwks` is optional, and relative to the
 * file.
 * @throws Error with a sentence for operators
 */
export function readIssuers(path: string): TrustedIssuer[] {
  const name = `TRUSTED_ISSUERS_FILE is ${path}, `
  const given = readJson(path, name, (what) => new Error(what), example)
  if (!Array.isArray(given)) throw new Error(`${name}which must have a JSON array of issuers. ${example}`)
  const found: TrustedIssuer[] = []
  for (const [place, one] of given.entries()) {
    const fault = (what: string) => new Error(`${name}where entry ${place + 1} ${what}`)
    const entry = readEntry(one, fault)
    if (found.some(({ issuer }) => issuer === entry.issuer)) throw fault(`names ${entry.issuer} again.`)
    found.push(
      entry.jwks === undefined
        ? { issuer: entry.issuer, kind: entry.kind }
        : {
            issuer: entry.issuer,
            kind: entry.kind,
            jwks: readKeys(resolve(dirname(path), entry.jwks), fault),
          },
    )
  }
  return found
}

type Fault = (what: string) => Error

function readEntry(one: unknown, fault: Fault): { issuer: string; kind: IssuerKind; jwks?: string } {
  if (typeof one !== 'object' || one === null || Array.isArray(one))
    throw fault(`is not an object. ${example}`)
  const unknown = Object.keys(one).find((member) => !members.includes(member))
  if (unknown !== undefined)
    throw fault(`has the unknown member "${unknown}"; it may have ${members.join(', ')}.`)
  const { issuer, kind, jwks } = one as Record<string, unknown>
  if (typeof issuer !== 'string' || !isIssuer(issuer))
    throw fault(
      'needs an `issuer`: a URL with https:// (http:// only on this machine), without user, query and fragment, exactly as in `iss` of its tokens.',
    )
  const known = issuerKinds.find((one) => one === kind)
  if (known === undefined) throw fault(`needs a \`kind\`: one of ${issuerKinds.join(', ')}.`)
  if (jwks === undefined) return { issuer, kind: known }
  if (typeof jwks !== 'string' || jwks === '') throw fault('has a `jwks` that is not the path of a file.')
  return { issuer, kind: known, jwks }
}

function isIssuer(text: string): boolean {
  if (!URL.canParse(text) || /[?#\s]/.test(text)) return false
  const url = new URL(text)
  if (!hasPlainHost(url)) return false
  const { protocol, hostname, username, password } = url
  const isHere = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/.test(hostname)
  return (protocol === 'https:' || (protocol === 'http:' && isHere)) && username + password === ''
}

function readKeys(path: string, fault: Fault): JSONWebKeySet {
  const name = `has the key set ${path}, `
  const read = readJson(path, name, fault, 'It must be {"keys": […]}.') as Partial<JSONWebKeySet> | null
  const keys = read?.keys
  const isKey = (key: unknown) => typeof key === 'object' && key !== null && 'kty' in key
  if (!Array.isArray(keys) || keys.length === 0 || !keys.every(isKey))
    throw fault(`${name}which must be {"keys": […]} with at least one key.`)
  // A symmetric key would let anyone who may read it sign tokens.
  if (keys.some((key) => 'd' in key || 'k' in key))
    throw fault(`${name}which has a secret key. Give the public keys only.`)
  return { keys }
}

/** @param form sentence about what the file must have */
function readJson(path: string, name: string, fault: Fault, form: string) {
  const text = readSettingFile(path, (what) => fault(`${name}${what}`)).toString()
  try {
    return parseJson(text) as unknown
  } catch {
    // Without the text of the fault, which quotes the file: it may be another one, with secrets.
    const [place] = /^Line \d+, column \d+/.exec(jsonFault(text) ?? '') ?? []
    throw fault(`${name}which is not JSON${place === undefined ? '' : `: ${place.toLowerCase()}`}. ${form}`)
  }
}
