/** What lists and details of collections show of a version's description. */
import type { JsonObject } from '@ulmus/content'

/** Characters of a description that lists and details show; the metadata has the whole. */
const listedDescriptionMax = 10_000

/** A metadata's description as its collection's row keeps it: not a MiB of it, and without U+0000, which PostgreSQL's text cannot hold. */
export function listedDescription({ description }: JsonObject): string | null {
  if (typeof description !== 'string') return null
  const whole = description.replaceAll('\0', '\ufffd')
  return whole.length <= listedDescriptionMax
    ? whole
    : `${whole.slice(0, listedDescriptionMax).toWellFormed()}…`
}
