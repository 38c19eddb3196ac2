/** Files of a kept release, and the answers that every later release must give about it. */
import { execFileSync } from 'node:child_process'
import { hash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib'
import { testClient } from '../test-client.ts'
import { people } from './publish-all.ts'

/** The template databases of PostgreSQL repeat each other megabytes apart, so the window is large. */
const smallest = {
  [constants.ZSTD_c_compressionLevel]: 19,
  [constants.ZSTD_c_enableLongDistanceMatching]: 1,
  [constants.ZSTD_c_windowLog]: 27,
}
const archiveBytesMax = 512 * 1024 ** 2

export function packFolder(folder: string, to: string): void {
  const tar = ['--create', '--sort=name', '--owner=0', '--group=0', `--directory=${folder}`, '.']
  const archive = execFileSync('tar', tar, { maxBuffer: archiveBytesMax })
  writeFileSync(to, zstdCompressSync(archive, { params: smallest }))
}

/** @param to new folder */
export function unpackFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 })
  const archive = unpacked(from)
  execFileSync('tar', ['--extract', '--no-same-owner', `--directory=${to}`], { input: archive })
}

const unpacked = (from: string): Buffer =>
  zstdDecompressSync(readFileSync(from), { params: { [constants.ZSTD_d_windowLogMax]: 27 } })

export const writePacked = (to: string, value: unknown): void =>
  writeFileSync(to, zstdCompressSync(JSON.stringify(value), { params: smallest }))

export const readPacked = <T>(from: string): T => JSON.parse(unpacked(from).toString()) as T

export interface KeptAnswer {
  readonly path: string
  readonly who: 'anyone' | 'mercator'
  readonly status: number
  /** JSON, the hash of another body, or the code of a refusal. */
  readonly body: unknown
}

/** Without what background work completes later, such as the strip of versions. */
const parts = ['', '/versions', '/family', '/questions', '/log']
const partsOfVersion = [
  ...['', '/records?limit=3', '/records.ndjson', '/files', '/manifest', '/log', '/diff?from=v1.0.0'],
  ...['/citation.bib', '/citation.csl.json', '/datapackage.json', '/croissant.json', '/records/City/OSL'],
]

/** Reads the collections of a kept registry as its publisher and as an outsider. */
export async function readAnswers(url: string, key: string): Promise<KeptAnswer[]> {
  const clients = { anyone: testClient(url), mercator: testClient(url, key) }
  const paths = ['/collections', `/accounts/${people.mercator}`, `/accounts/${people.atlas}/members`, '/log']
  for (const name of [people.cities, people.diary, people.fork]) {
    const at = `/collections/${name}`
    paths.push(...parts.map((part) => `${at}${part}`))
    const { json } = await clients.mercator.get(`${at}/versions`)
    for (const { semver } of json as { semver: string }[])
      paths.push(...partsOfVersion.map((part) => `${at}/versions/${semver}${part}`))
  }
  const answers: KeptAnswer[] = []
  for (const path of paths)
    for (const who of ['anyone', 'mercator'] as const) {
      const { status, text, headers } = await clients[who].get(path)
      const body = text.replaceAll(url, 'http://registry')
      // Sentences of refusals may change; their codes never do.
      const isJson = /^application\/(?:[\w.]+\+)?json/.test(String(headers['content-type']))
      answers.push({
        path,
        who,
        status,
        body: status >= 400 ? JSON.parse(body).code : isJson ? JSON.parse(body) : hash('sha256', body),
      })
    }
  return answers
}
