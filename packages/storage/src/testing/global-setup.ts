/** Before a run: the template of the embedded database, a server, and the template on it. After it: all gone. */
import { randomUUID } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../sql/database.ts'
import { onServer } from './databases.ts'
import { startPostgres } from './postgres.ts'

/** `ULMUS_TEST_DATABASE_URL` names a server to use instead of one of our own; its account must be allowed to create databases. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-test-'))
  chmodSync(folder, 0o711)
  const given = process.env.ULMUS_TEST_DATABASE_URL
  const embeddedTemplate = join(folder, 'template')
  const template = `ulmus_template_${randomUUID().replaceAll('-', '')}`
  const [server] = await Promise.all([
    given === undefined ? startPostgres(join(folder, 'server')) : { url: given, stop: async () => undefined },
    openDatabase({ folder: embeddedTemplate }).then((database) => database.close()),
  ])
  const url = new URL(server.url)
  await onServer(url.href, `create database ${template}`)
  url.pathname = `/${template}`
  await openDatabase({ url: url.href }).then((database) => database.close())
  project.provide('testFolder', folder)
  project.provide('embeddedTemplate', embeddedTemplate)
  project.provide('serverUrl', server.url)
  project.provide('serverTemplate', template)
  return async () => {
    await onServer(server.url, `drop database if exists ${template} with (force)`)
    await server.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
