/** Data folder of an installation, for tests of its files before and after opening. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { S3Settings } from '@ulmus/storage'
import type { TestDatabase } from '@ulmus/storage/testing'
import { defaultLimits } from '../limits.ts'
import { openRegistry, type Registry } from '../open.ts'
import type { Caller } from '../principal.ts'
import type { StoresConfig } from '../stores/stores.ts'
import { keepLog, type Logged } from './context.ts'

export interface Home {
  readonly config: StoresConfig & { readonly log: Logged }
  dispose(): Promise<void>
}

/** A data folder with a database in which no server has started, or beside a PostgreSQL one; no objects yet. */
export async function openHome(database: TestDatabase, bucket?: S3Settings): Promise<Home> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'ulmus-home-'))
  const { settings, dispose } = await database.settings()
  if (settings.folder !== undefined) {
    // It may be on another disk.
    cpSync(settings.folder, join(dataFolder, 'database'), { recursive: true })
    rmSync(settings.folder, { recursive: true })
  }
  return {
    config: { dataFolder, databaseUrl: settings.url, bucket, log: keepLog() },
    async dispose() {
      await dispose()
      rmSync(dataFolder, { recursive: true, force: true })
    },
  }
}

export const start = (config: StoresConfig, works = false): Promise<Registry> =>
  openRegistry({ ...config, limits: defaultLimits, works })

/** Starts a server, pushes a version and uploads a file, and closes it. */
export async function fill(config: StoresConfig, text = 'kept'): Promise<void> {
  const registry = await start(config)
  try {
    const { id, slug } = await registry.accounts.signIn({
      issuer: 'test',
      subject: 'ada',
      preferredUsername: 'ada',
      email: null,
      name: 'Ada',
    })
    const me: Caller = {
      kind: 'session',
      accountId: id,
      accountSlug: slug,
      scope: 'admin',
      limitedTo: null,
      credential: null,
      expiresAt: null,
    }
    const path = { owner: slug, slug: 'kept' }
    await registry.collections.create(me, slug, { slug: 'kept' })
    const opening = { base_version: null, schemas: { Item: { type: 'object' } } }
    const { session_id } = await registry.pushes.open(me, path, bytesOf(JSON.stringify(opening)), () => ({
      base_version: null,
    }))
    const line = JSON.stringify({ id: 'a', type: 'Item', data: { text } })
    await registry.pushes.receive(me, path, session_id, 'records', bytesOf(line))
    await registry.pushes.commit(me, path, session_id, { async: false })
  } finally {
    await registry.close()
  }
}

async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  yield Buffer.from(text)
}
