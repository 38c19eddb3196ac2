/**
 * Parses JSON as `JSON.parse` should. V8 from 12.8 on, so Node 24 and 26 and today's browsers, may mistake a name that is written with an
 * escape for one that it parsed before in another object: after `{"a":1,"b\\":1}`, `{"a":1,"b\n":2}` gets the name `b\`
 * (nodejs/node#63785). One publisher's names could so change another's records.
 */
import type { Json, JsonObject } from './json.ts'

const [quote, comma, colon, backslash] = [0x22, 0x2c, 0x3a, 0x5c]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const isSpace = (unit: number): boolean => unit === 0x20 || unit === 0x0a || unit === 0x0d || unit === 0x09

/**
 * The value of a JSON text. The last of repeated members counts, as with `JSON.parse`.
 * @throws SyntaxError for another text, RangeError for one that nests too deep for the engine
 */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  return hasEscapedName(text) ? build(text) : value
}

/** Position of the quote that closes the string around `at`, which must be the opening quote, or in front of all its backslashes. */
export function closingQuote(text: string, at: number): number {
  for (let close = text.indexOf('"', at + 1); ; close = text.indexOf('"', close + 1)) {
    let backslashes = 0
    while (text.charCodeAt(close - 1 - backslashes) === backslash) backslashes++
    if (backslashes % 2 === 0) return close
  }
}

/** @param text JSON: only a name is followed by a colon */
function hasEscapedName(text: string): boolean {
  for (let at = text.indexOf('\\'); at >= 0; at = text.indexOf('\\', at)) {
    at = closingQuote(text, at - 1) + 1
    while (isSpace(text.charCodeAt(at))) at++
    if (text.charCodeAt(at) === colon) return true
  }
  return false
}

/** The value of a text that is known to be JSON. `JSON.parse` parses only strings and literals, in which it makes no such mistake. */
function build(text: string): Json {
  const root: Json[] = []
  const parents: (Json[] | JsonObject)[] = [root]
  let name: string | undefined
  for (let at = 0, end = 1; at < text.length; at = end, end = at + 1) {
    const unit = text.charCodeAt(at)
    if (isSpace(unit) || unit === comma || unit === colon) continue
    if (unit === closeList || unit === closeObject) {
      parents.pop()
      continue
    }
    const into = parents.at(-1)!
    const isParent = unit === openList || unit === openObject
    if (!isParent) end = unit === quote ? closingQuote(text, at) + 1 : literalEnd(text, at)
    const value = unit === openObject ? {} : isParent ? [] : (JSON.parse(text.slice(at, end)) as Json)
    if (Array.isArray(into)) into.push(value)
    else if (name === undefined) {
      name = value as string
      continue
    } else {
      setMember(into, name, value)
      name = undefined
    }
    if (isParent) parents.push(value as Json[] | JsonObject)
  }
  return root[0]!
}

function literalEnd(text: string, at: number): number {
  const ending = /[\s,\]}]|$/g
  ending.lastIndex = at
  return ending.exec(text)!.index
}

/** `__proto__` is a member like any other. */
function setMember(object: JsonObject, name: string, value: Json): void {
  if (name === '__proto__')
    Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true })
  else object[name] = value
}
