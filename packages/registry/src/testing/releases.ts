/** Registries as stored by released versions, for the test that upgrades them. */
import { hash } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { backUp } from '../backups/backup.ts'
import { keepLog } from './context.ts'
import { digestsOf, type Filled, fillWithAll } from './filled.ts'

export const releasesFolder = join(import.meta.dirname, '../../releases')
const migrationsFolder = join(import.meta.dirname, '../../../storage/migrations')

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
  readdirSync(releasesFolder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => join(releasesFolder, name))

/** True if CHANGELOG.md dates the version: from then on, nothing of it may change. */
export const isReleased = (version: string): boolean =>
  readFileSync(join(import.meta.dirname, '../../../../CHANGELOG.md'), 'utf8').includes(
    `\n## [${version}] - 2`,
  )

export const digestsOfRelease = (release: string): Digests =>
  JSON.parse(readFileSync(join(release, 'digests.json'), 'utf8')) as Digests

/**
 * Creates a registry on the embedded database and stores a backup of it. A failure leaves no folder.
 * @param into new folder
 * @param fillMore runs before the backup, while no process has the data folder open
 */
export async function keepRelease(
  version: string,
  into = join(releasesFolder, version),
  fillMore: (dataFolder: string) => Promise<void> = async () => undefined,
): Promise<void> {
  mkdirSync(into)
  const dataFolder = mkdtempSync(join(tmpdir(), 'ulmus-release-'))
  try {
    const config = { dataFolder, log: keepLog() }
    await fillWithAll(config)
    await fillMore(dataFolder)
    await backUp(config, { folder: join(into, 'backup') }, { by: version })
    rmSync(join(into, 'backup/tmp'), { recursive: true, force: true })
    const digests = digestsIn(await digestsOf(config))
    writeFileSync(join(into, 'digests.json'), `${JSON.stringify(digests, null, 2)}\n`)
    writeFileSync(join(into, 'migrations.json'), `${JSON.stringify(migrationsNow(), null, 2)}\n`)
  } catch (error) {
    rmSync(into, { recursive: true, force: true })
    throw error
  } finally {
    rmSync(dataFolder, { recursive: true, force: true })
  }
}

/** Hash of each migration's file, by its name. */
export const migrationsNow = (): Record<string, string> =>
  Object.fromEntries(
    readdirSync(migrationsFolder)
      .filter((file) => file.endsWith('.sql'))
      .sort()
      .map((file) => [file, hash('sha256', readFileSync(join(migrationsFolder, file)))]),
  )

export const migrationsOfRelease = (release: string): Record<string, string> =>
  JSON.parse(readFileSync(join(release, 'migrations.json'), 'utf8')) as Record<string, string>
