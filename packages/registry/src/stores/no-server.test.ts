import { databases } from '@ulmus/storage/testing'
import { afterEach, expect, test } from 'vitest'
import { fill, openHome, start } from '../testing/home.ts'
import { openStoreCommands } from '../upkeep/store-commands.ts'
import { StoresUnfitError } from './installation.ts'

const ending: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0).toReversed()) await end()
})

test.each(databases)(
  'the index is rebuilt only while no server has the database open ($name)',
  async (database) => {
    const { config, dispose } = await openHome(database)
    ending.push(dispose)
    await fill(config)
    const registry = await start(config)
    const refused = await openStoreCommands(config, 'rebuild').then(
      () => undefined,
      (error: Error) => error,
    )
    await registry.close()
    if (database.name === 'embedded') expect(refused?.message).toContain('in use by process')
    else {
      expect(refused).toBeInstanceOf(StoresUnfitError)
      expect(refused?.message).toMatch(
        /^A server has the database .* Stop all servers first: the index would/,
      )
    }
    const commands = await openStoreCommands(config, 'rebuild')
    expect(await commands.rebuildIndex()).toMatchObject({ packs: 1, damages: [] })
    await commands.close()
  },
  60_000,
)
