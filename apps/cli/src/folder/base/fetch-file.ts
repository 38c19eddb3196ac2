/**
 * Fetches files of versions by hash: from the cache shared by all working folders, else from the registry. Never keeps bytes that do not
 * match their hash.
 */
import { createHash } from 'node:crypto'
import {
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { hashOfFile } from '../files/content.ts'
import { copyInto, createInside, regularFile, removeFile } from '../files/inside.ts'
import { writeAll } from '../files/lines.ts'
import type { BaseFile } from './state.ts'
import type { VersionSource } from './verified-version.ts'
import { tampered } from './verified-version.ts'

/** Cache limit: 2 GiB. The least recently used files are evicted first. */
const cacheBytesMax = 2_147_483_648
/** Larger files are not cached, to avoid a second copy: 256 MiB. */
const cachedFileMax = 268_435_456

/** Destination: a working folder, and a path from its root. */
export interface Target {
  readonly root: string
  readonly path: string
}

/** Writes a file of a version to `target`. @param cache folder of the file cache */
export async function fetchFile(
  source: VersionSource,
  file: Pick<BaseFile, 'hash' | 'size'>,
  target: Target,
  cache: string,
): Promise<void> {
  const { hash } = file
  const { root, path } = target
  const kept = join(cache, 'files', hash.replace('sha256:', ''))
  if (existsSync(kept)) {
    copyInto(root, path, kept)
    if ((await hashOfFile(root, path)) === hash) {
      utimesSync(kept, new Date(), new Date())
      return
    }
    rmSync(kept, { force: true })
  }
  await download(source, file, target)
  if (file.size <= cachedFileMax) keep(regularFile(root, path), kept)
}

/** Stops at the first byte over the size in the version, so that no answer fills the disk. */
async function download(
  { client, collection, signal }: VersionSource,
  { hash, size }: Pick<BaseFile, 'hash' | 'size'>,
  { root, path }: Target,
): Promise<void> {
  const response = await client.files.open(collection, hash, signal)
  const digest = createHash('sha256')
  const descriptor = createInside(root, path)
  let bytes = 0
  try {
    for await (const chunk of response.body ?? []) {
      bytes += chunk.length
      if (bytes > size) break
      digest.update(chunk)
      writeAll(descriptor, chunk)
    }
  } finally {
    closeSync(descriptor)
  }
  if (bytes === size && `sha256:${digest.digest('hex')}` === hash) return
  removeFile(root, path)
  throw tampered(`The file ${hash} arrived with other bytes.`)
}
function keep(file: string, kept: string): void {
  mkdirSync(dirname(kept), { recursive: true, mode: 0o700 })
  const draft = `${kept}.${process.pid}`
  copyFileSync(file, draft, constants.COPYFILE_FICLONE)
  renameSync(draft, kept)
  makeRoom(dirname(kept))
}

function makeRoom(folder: string): void {
  const files = readdirSync(folder).map((name) => ({ path: join(folder, name), ...pick(join(folder, name)) }))
  let bytes = files.reduce((sum, { size }) => sum + size, 0)
  for (const { path, size } of files.sort((a, b) => a.usedAt - b.usedAt)) {
    if (bytes <= cacheBytesMax) return
    rmSync(path, { force: true })
    bytes -= size
  }
}

function pick(path: string): { size: number; usedAt: number } {
  const { size, mtimeMs } = statSync(path)
  return { size, usedAt: mtimeMs }
}
