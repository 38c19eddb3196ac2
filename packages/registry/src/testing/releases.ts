/** Registries as stored by released versions, for the test that upgrades them. */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUp } from '../backups/backup.ts'
import { keepLog } from './context.ts'
import { type Filled, fillWithAll } from './filled.ts'

const folder = join(import.meta.dirname, '../../releases')

/** Digests that every later release must reproduce. */
export interface Digests {
  /** Path, semver and the digests of both views. */
  readonly versions: readonly string[]
  readonly files: readonly string[]
}

export const digestsIn = ({ versions, files }: Filled): Digests => ({
  versions: versions.map(
    (row) =>
      `${row['owner']}/${row['slug']} ${row['major']}.${row['minor']}.${row['patch']} ${row['full_digest']} ${row['public_digest']}`,
  ),
  files,
})

/** Folders of all released versions. */
export const releaseFolders = (): string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(folder, name))

export const digestsOfRelease = (release: string): Digests =>
  JSON.parse(readFileSync(join(release, 'digests.json'), 'utf8')) as Digests

/** Creates a registry on the embedded database and stores it. @param into new folder */
export async function keepRelease(version: string, into = join(folder, version)): Promise<void> {
  mkdirSync(into)
  const dataFolder = mkdtempSync(join(tmpdir(), 'ulmus-release-'))
  try {
    const config = { dataFolder, log: keepLog() }
    const filled = await fillWithAll(config)
    await backUp(config, { folder: join(into, 'backup') }, { by: version })
    rmSync(join(into, 'backup/tmp'), { recursive: true, force: true })
    writeFileSync(join(into, 'digests.json'), `${JSON.stringify(digestsIn(filled), null, 2)}\n`)
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
}
