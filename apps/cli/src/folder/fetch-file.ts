/**
 * Files of versions, by hash: from the cache that all working folders share, else from the registry. Bytes that do not hash to their
 * name are never put in place.
 */
import { createHash } from 'node:crypto'
import {
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
import { open } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hashOfFile } from './content.ts'
import type { VersionSource } from './verified-version.ts'
import { tampered } from './verified-version.ts'

/** What the cache may take: 2 GiB. Files used longest ago go first. */
const cacheBytesMax = 2_147_483_648
/** A file over this is not worth a second copy: 256 MiB. */
const cachedFileMax = 268_435_456

/** Writes the file `hash` to `target`. @param cache the folder of the cache */
export async function fetchFile(
  source: VersionSource,
  hash: string,
  target: string,
  cache: string,
): Promise<void> {
  const kept = join(cache, 'files', hash.replace('sha256:', ''))
  mkdirSync(dirname(target), { recursive: true })
  if (existsSync(kept)) {
    copyFileSync(kept, target, constants.COPYFILE_FICLONE)
    if ((await hashOfFile(target)) === hash) {
      utimesSync(kept, new Date(), new Date())
      return
    }
    rmSync(kept, { force: true })
  }
  await download(source, hash, target)
  if (statSync(target).size <= cachedFileMax) keep(target, kept)
}

async function download(
  { client, collection, signal }: VersionSource,
  hash: string,
  target: string,
): Promise<void> {
  const response = await client.files.open(collection, hash, signal)
  const digest = createHash('sha256')
  const handle = await open(target, 'w')
  try {
    for await (const chunk of response.body ?? []) {
      digest.update(chunk)
      await handle.writeFile(chunk)
    }
  } finally {
    await handle.close()
  }
  if (`sha256:${digest.digest('hex')}` === hash) return
  rmSync(target, { force: true })
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
