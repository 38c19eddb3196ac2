/** A proxy before a real registry that changes answers, and logs that it could show in place of the real one, signed with the real key. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resourceText } from '@ulmus/content'
import {
  base64Of,
  bundleOf,
  checkpointText,
  entriesIn,
  type HashReader,
  inclusionProof,
  leafHashOf,
  nodeHashOf,
  parseTilePath,
  proofText,
  rootOf,
  type Signer,
  type Subtree,
  signNote,
  tilePath,
  tileWidth,
} from '@ulmus/content/log'
import type { VersionInLog } from '@ulmus/wire'

/** An answer in place of the real one: its body, or a refusal. */
type Lie = Uint8Array | string | object | undefined

export interface Liar {
  readonly url: string
  /** Returns the path to ask the real registry for, below `/api` or not. */
  move: (path: string) => string
  /** @param answer of the real registry @returns undefined to pass it on */
  change: (path: string, answer: Buffer) => Promise<Lie> | Lie
  /** Returns the subject that an answer names. Default: what was asked for. @param real the one of the real registry */
  resource: (path: string, real: string) => string
  /** Paths of requests that had a key. */
  readonly withKey: string[]
  honest(): void
  close(): void
}

/** Answers that are refusals: `refusal(501, 'log_unavailable')`. */
export class Refusal {
  readonly status: number
  readonly code: string
  constructor(status: number, code: string) {
    this.status = status
    this.code = code
  }
}

export async function openLiar(registry: string): Promise<Liar> {
  const server = createServer(async (request, response) => {
    const path = request.url!
    const { authorization } = request.headers
    if (authorization !== undefined) liar.withKey.push(path)
    const headers: Record<string, string> = authorization === undefined ? {} : { authorization }
    const answer = await fetch(registry + liar.move(path), { headers, redirect: 'manual' })
    const body = Buffer.from(await answer.arrayBuffer())
    const lie = (await liar.change(path, body)) ?? body
    const type = answer.headers.get('content-type') ?? 'text/plain'
    const location = answer.headers.get('location')
    if (location !== null) response.setHeader('location', location)
    response.setHeader('x-resource', liar.resource(path, answer.headers.get('x-resource') ?? ''))
    if (lie instanceof Refusal) {
      response.writeHead(lie.status, { 'content-type': 'application/json' })
      response.end(JSON.stringify({ error: 'Refused.', code: lie.code, statusCode: lie.status }))
    } else if (typeof lie === 'string' || lie instanceof Uint8Array)
      response.writeHead(lie === body ? answer.status : 200, { 'content-type': type }).end(lie)
    else response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(lie))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const liar: Liar = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    move: (path) => path,
    change: () => undefined,
    resource: asAsked,
    withKey: [],
    honest() {
      liar.resource = asAsked
      liar.move = (path) => path
      liar.change = () => undefined
    },
    close: () => void server.close(),
  }
  return liar
}

/** The path, with the version that the registry found to be the latest. */
function asAsked(path: string, real: string): string {
  const [, slot = '', version = ''] = /(\/versions\/|\?version=)(v[\d.]+)/.exec(real) ?? []
  const [before, query] = path.replace(`${slot}latest`, `${slot}${version}`).split(/\?(.*)/s, 2)
  return resourceText(before!, query)
}

/** A log of given leaves. */
export function logOf(leaves: readonly Uint8Array[], signers: readonly Signer[]) {
  const hashOf = ({ level, index }: Subtree): Uint8Array =>
    level === 0
      ? leafHashOf(leaves[index]!)
      : nodeHashOf(
          hashOf({ level: level - 1, index: 2 * index }),
          hashOf({ level: level - 1, index: 2 * index + 1 }),
        )
  const read: HashReader = async (places) => places.map(hashOf)
  const size = leaves.length
  const checkpoint = async () =>
    signNote(checkpointText({ origin: signers[0]!.name, size, root: await rootOf(size, read) }), signers)
  const proof = async (index: number) =>
    proofText({ index, path: await inclusionProof(index, size, read), checkpoint: await checkpoint() })
  return {
    checkpoint,
    proof,
    /** An answer about a version as if it and its links were in this log. @param index of the statement’s leaf */
    async proven(real: VersionInLog, index = real.index): Promise<VersionInLog> {
      const links = real.links.map(async (link) => ({
        ...link,
        path: (await inclusionProof(Math.min(link.index, size - 1), size, read)).map(base64Of),
      }))
      return { ...real, links: await Promise.all(links), proof: await proof(index) }
    },
    /** A file below `/log/`. */
    async file(path: string): Promise<Uint8Array | string | undefined> {
      if (path === 'checkpoint') return checkpoint()
      const tile = parseTilePath(path)
      if (tile === undefined) return undefined
      const { level, index, width } = tile
      const places = Array.from({ length: width }, (_, n) => index * tileWidth + n)
      if (level === 'entries') return bundleOf(places.map((place) => leaves[place]!))
      return Buffer.concat(places.map((place) => hashOf({ level: level * 8, index: place })))
    },
  }
}

/** Leaves of the log of a registry, up to one bundle. */
export async function leavesOf(registry: string): Promise<Uint8Array[]> {
  const { size } = (await (await fetch(`${registry}/api/log`)).json()) as { size: number }
  const path = tilePath({ level: 'entries', index: 0, width: size })
  return entriesIn(new Uint8Array(await (await fetch(`${registry}/log/${path}`)).arrayBuffer()))
}
