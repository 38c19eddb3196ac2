/**
 * Starts, before a run, the template of the embedded database, a server with its template, and for slow tests an S3 server; removes all of
 * them afterwards.
 */
import { randomUUID } from 'node:crypto'
import { chmodSync, existsSync, mkdtempSync, rmSync, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { openDatabase } from '../database/open.ts'
import { cephInstalled, cephPackages, type S3Server, startCeph } from './ceph.ts'
import { onServer } from './databases.ts'
import { startPostgres } from './postgres.ts'

/** Two workers have a few databases of 40 MB at a time, and the server a log of up to 1 GiB. */
const memoryBytesMin = 6 * 1024 ** 3

/**
 * `ULMUS_TEST_S3` names an S3 server to use instead of Ceph, as `http://<access key>:<secret>@<host>:<port>`; its account must be
 * allowed to create buckets. Null if there is neither.
 */
async function openS3(folder: string): Promise<S3Server | null> {
  const given = process.env.ULMUS_TEST_S3
  if (given !== undefined) {
    const { origin, username, password } = new URL(given)
    const keys = { accessKeyId: decodeURIComponent(username), secretAccessKey: decodeURIComponent(password) }
    return { endpoint: origin, keys, stop: async () => undefined }
  }
  if (cephInstalled()) return startCeph(folder)
  process.stderr.write(
    `Tests of the object store on S3 are skipped. To run them: apt-get install ${cephPackages}\n`,
  )
  return null
}

/** Copies of databases wait for no disk in memory. Slow tests need a disk, for kills and for Ceph. */
function memoryOrDisk(): string {
  const memory = '/dev/shm'
  if (!existsSync(memory)) return tmpdir()
  const { bavail, bsize } = statfsSync(memory)
  return bavail * bsize > memoryBytesMin ? memory : tmpdir()
}

/** `ULMUS_TEST_DATABASE_URL` names a server to use instead of starting one; its account must be allowed to create databases. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(project.name === 'slow' ? tmpdir() : memoryOrDisk(), 'ulmus-test-'))
  chmodSync(folder, 0o711)
  const given = process.env.ULMUS_TEST_DATABASE_URL
  const embeddedTemplate = join(folder, 'template')
  const template = `ulmus_template_${randomUUID().replaceAll('-', '')}`
  const [server, s3] = await Promise.all([
    given === undefined ? startPostgres(join(folder, 'server')) : { url: given, stop: async () => undefined },
    project.name === 'slow' ? openS3(join(folder, 's3')) : null,
    openDatabase({ folder: embeddedTemplate }).then((database) => database.close()),
  ])
  const url = new URL(server.url)
  await onServer(url.href, `create database ${template}`)
  url.pathname = `/${template}`
  await openDatabase({ url: url.href }).then((database) => database.close())
  // Copying files takes a tenth of the time of copying through the log. A server that is given may be older than this choice.
  const strategy = given === undefined ? 'strategy file_copy' : ''
  project.provide('testFolder', folder)
  project.provide('embeddedTemplate', embeddedTemplate)
  project.provide('serverUrl', server.url)
  project.provide('serverTemplate', `template ${template} ${strategy}`)
  project.provide('s3Server', s3 && { endpoint: s3.endpoint, keys: s3.keys, role: s3.role })
  return async () => {
    await onServer(server.url, `drop database if exists ${template} with (force)`)
    await Promise.all([server.stop(), s3?.stop()])
    rmSync(folder, { recursive: true, force: true })
  }
}
