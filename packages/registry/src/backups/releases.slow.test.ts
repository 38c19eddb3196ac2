/** Data of every past release can be restored, upgraded, checked and pushed to. */
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { databases, onServer } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import type { StoresConfig } from '../stores/stores.ts'
import { keepLog } from '../testing/context.ts'
import { digestsOf, pushMore } from '../testing/filled.ts'
import { start } from '../testing/home.ts'
import { digestsIn, digestsOfRelease, keepRelease, releaseFolders } from '../testing/releases.ts'
import { openStoreCommands } from '../upkeep/store-commands.ts'
import { restore } from './restore.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-releases-'))
/** The release that would be stored now. */
const next = join(folder, 'next')
beforeAll(() => keepRelease('next', next), 120_000)
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Stores without any table, as a restore finds them. */
async function nothing(
  kind: 'embedded' | 'server',
): Promise<{ config: StoresConfig; drop(): Promise<void> }> {
  const name = `ulmus_${randomUUID().replaceAll('-', '')}`
  const config = { dataFolder: join(folder, name), log: keepLog() }
  if (kind === 'embedded') return { config, drop: async () => undefined }
  const url = new URL(`/${name}`, inject('serverUrl')).href
  await onServer(inject('serverUrl'), `create database ${name}`)
  const drop = () => onServer(inject('serverUrl'), `drop database ${name} with (force)`)
  return { config: { ...config, databaseUrl: url }, drop }
}

describe.each(databases)('on the $name database', ({ name }) => {
  test.each([...releaseFolders(), next].map((release) => [basename(release), release]))(
    'a registry of the release %s is upgraded, whole, and goes on',
    async (_version, release) => {
      const { config, drop } = await nothing(name)
      try {
        await restore({ folder: join(release, 'backup') }, config)
        expect(digestsIn(await digestsOf(config))).toEqual(digestsOfRelease(release))
        const commands = await openStoreCommands(config)
        const onDamage = (damage: object) => expect(damage).toBeUndefined()
        expect(await commands.fsck({ files: true, onDamage })).toMatchObject({ damages: 0 })
        await commands.close()
        const registry = await start(config, true)
        await pushMore(registry, 'after the upgrade')
        await registry.close()
      } finally {
        await drop()
      }
    },
    120_000,
  )
})
