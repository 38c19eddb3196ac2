/** Random requests to a described operation: each part is valid or hostile. */
import { hash } from 'node:crypto'
import { type ApiDocument, type DescribedCall, exampleOf, type Parameter } from '../contract.ts'
import { bodiesOf } from './bodies.ts'
import { contentTypes, hostileHeader, hostileQueryValue, hostileSegment } from './hostile.ts'
import type { Place, placesOf } from './places.ts'
import type { Random } from './random.ts'
import type { Wire } from './sending.ts'

export interface Made {
  readonly call: DescribedCall
  /** Valid path parameters, for `learn`. Undefined if one of them is hostile. */
  readonly used: Place | undefined
  readonly wire: Wire
}

const otherMethods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE', 'PROPFIND']

export function requestsOf(document: ApiDocument, places: ReturnType<typeof placesOf>) {
  const bodyFor = bodiesOf(document, places.known)
  /** The latest requests whose answers had an entity tag. */
  const tagged: { made: Made; tag: string }[] = []

  function pathOf({ path, operation }: DescribedCall, random: Random, uploaded: string | undefined) {
    const place = places.find(path, random)
    const used: Record<string, string> = {}
    let isMeant = true
    const isHostile = random.chance(0.15)
    const target = path.replace(/\{([^}]+)\}/g, (_, name: string) => {
      const parameter = operation.parameters!.find((one) => one.in === 'path' && one.name === name)!
      if (isHostile && random.chance(0.6)) {
        isMeant = false
        return hostileSegment(random)
      }
      const upload = name === 'hash' && random.chance(0.7) ? uploaded : undefined
      const value = upload ?? place[name] ?? String(places.known(name, random) ?? exampleOf(parameter))
      used[name] = value
      return encodeURIComponent(value.toWellFormed())
    })
    return { target, used: isMeant ? used : undefined }
  }

  function queryOf(parameters: readonly Parameter[], random: Random): string {
    const pairs = parameters.flatMap((one): string[] => {
      if (random.chance(one.required ? 0.05 : 0.6)) return []
      const times = random.chance(0.05) ? 2 : 1
      return Array.from({ length: times }, () => `${one.name}=${queryValueOf(one, random)}`)
    })
    if (random.chance(0.03))
      pairs.push(random.pick(['nonsense=1', '=', '&&', 'a[b]=c', '__proto__=1', 'limit[]=1', '%', '?', '#a']))
    if (random.chance(0.005)) pairs.push('a=b&'.repeat(random.pick([100, 1_001, 3_500])))
    return pairs.length === 0 ? '' : `?${pairs.join('&')}`
  }

  function queryValueOf(one: Parameter, random: Random): string {
    if (random.chance(0.3)) return hostileQueryValue(random)
    const { enum: choices, minimum } = one.schema as { enum?: unknown[]; minimum?: number }
    const known = random.chance(0.5) ? places.known(one.name, random) : undefined
    const number = minimum === undefined ? undefined : minimum + random.below(5)
    const value = known ?? (choices === undefined ? undefined : random.pick(choices)) ?? number
    return encodeURIComponent(String(value ?? exampleOf(one)).toWellFormed())
  }

  return {
    keepTag: (made: Made, tag: string) => void (tagged.push({ made, tag }) > 20 && tagged.shift()),

    /** @param credential headers with the caller's credential */
    make(call: DescribedCall, credential: Readonly<Record<string, string>>, random: Random): Made {
      if (tagged.length > 0 && random.chance(0.03)) return again(random.pick(tagged))
      const { operation } = call
      const [type, media] = random.chance(0.95)
        ? (Object.entries(operation.requestBody?.content ?? {})[0] ?? [])
        : []
      const sent = media === undefined ? unasked(call, random) : bodyFor(type!, media, random)
      const uploaded = sent === undefined ? undefined : `sha256:${hash('sha256', sent.bytes)}`
      const { target, used } = pathOf(call, random, uploaded)
      const headers: Record<string, string> = { ...sent?.headers, ...credential }
      if (sent !== undefined && random.chance(0.06)) {
        const other = random.pick(contentTypes)
        if (other === undefined) delete headers['content-type']
        else headers['content-type'] = other
      }
      const named = (operation.parameters ?? []).filter((one) => one.in === 'header')
      for (const one of named)
        if (random.chance(0.3)) headers[one.name.toLowerCase()] = String(exampleOf(one))
      const extra = random.chance(0.2) ? 1 + random.below(3) : 0
      for (let n = 0; n < extra; n++) {
        const [name, value] = hostileHeader(random)
        headers[name] = value
      }
      const breaksOff = sent !== undefined && random.chance(0.01)
      const wire: Wire = {
        method: random.chance(0.03) ? random.pick(otherMethods) : call.method,
        target:
          target +
          queryOf(
            (operation.parameters ?? []).filter((one) => one.in === 'query'),
            random,
          ),
        headers,
        body: sent?.bytes,
        chunked: random.chance(0.1),
        breaksOff,
      }
      return { call, used, wire }
    },
  }
}

/** Repeats a request conditionally, with the tag of its earlier answer. */
const again = ({ made, tag }: { made: Made; tag: string }): Made => ({
  ...made,
  wire: { ...made.wire, headers: { ...made.wire.headers, 'if-none-match': tag } },
})

/** Sometimes a body where none belongs. */
const unasked = ({ method }: DescribedCall, random: Random) =>
  random.chance(method === 'GET' ? 0.02 : 0.1)
    ? {
        bytes: Buffer.from(random.pick(['{}', '', 'null', '[1', 'x'])),
        headers: { 'content-type': 'application/json' },
      }
    : undefined
