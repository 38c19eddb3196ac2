/** Commands of a newer release on the stores of an older one. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databases } from '@ulmus/storage/testing'
import { addMigration } from '@ulmus/storage/testing/next-migration'
import { describe, expect, test } from 'vitest'
import { backUp } from '../backups/backup.ts'
import { move } from '../backups/move.ts'
import { openStoreCommands } from '../upkeep/store-commands.ts'
import { openStores, type StoresConfig } from './stores.ts'

describe.each(databases)('on $name', (database) => {
  test('only the start of a server migrates: backup, move and commands refuse and change nothing', async () => {
    await using ending = new AsyncDisposableStack()
    const folder = mkdtempSync(join(tmpdir(), 'ulmus-older-'))
    ending.defer(() => rmSync(folder, { recursive: true, force: true }))
    const { settings, dispose } = await database.settings()
    ending.defer(dispose)
    const lines: string[] = []
    const say = (_facts: object, line: string) => void lines.push(line)
    const older: StoresConfig = {
      dataFolder: join(folder, 'data'),
      ...(settings.url !== undefined && { databaseUrl: settings.url }),
      log: { info: say, warn: say, error: say },
    }
    const startOn = async (config: StoresConfig) => {
      await using opened = new AsyncDisposableStack()
      await openStores(config, opened, 'serve')
    }
    await startOn(older)
    const migrationsFolder = join(folder, 'migrations')
    addMigration(migrationsFolder, 'create table later (id integer);')
    const newer = { ...older, migrationsFolder, release: '0.2.0' }
    const refused = /this program is 0\.2\.0.*Nothing was changed\..*start a server of this release once/
    await expect(openStoreCommands(newer)).rejects.toThrow(refused)
    await expect(openStoreCommands(newer, 'rebuild')).rejects.toThrow(refused)
    await expect(backUp(newer, { folder: join(folder, 'backups') }, { by: '0.2.0' })).rejects.toThrow(refused)
    await expect(move(newer, { ...newer, dataFolder: join(folder, 'target') })).rejects.toThrow(refused)
    const migrated = () => lines.filter((line) => line.includes('9999_newer'))
    expect(migrated()).toEqual([])
    await (await openStoreCommands(older)).close()

    await startOn(newer)
    expect(migrated()).toHaveLength(2)
    await (await openStoreCommands(newer)).close()
  }, 120_000)
})
