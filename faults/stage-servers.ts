/** Stage with two servers on one PostgreSQL and one S3 server. The network between each server and each store can be broken. */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { cephInstalled, cephPackages, startCeph } from '@ulmus/storage/testing/ceph'
import { makeBucketOn } from '@ulmus/storage/testing/make-bucket'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { TcpProxy } from '@ulmus/storage/testing/tcp-proxy'
import pg from 'pg'
import { FaultyServer } from './server.ts'
import {
  dataFolderOf,
  type Line,
  makeLogKey,
  runFsck,
  type Stage,
  type StoreName,
  startSweep,
} from './stage.ts'

const names = ['left', 'right'] as const

export async function openServersStage(folder: string, say: (line: string) => void): Promise<Stage> {
  await using opening = new AsyncDisposableStack()
  const stage = await open(folder, say, opening)
  const ending = opening.move()
  return { ...stage, close: () => ending.disposeAsync() }
}

/** @param ending collects what must be closed */
async function open(
  folder: string,
  say: (line: string) => void,
  ending: AsyncDisposableStack,
): Promise<Omit<Stage, 'close'>> {
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  const postgres = await startPostgres(join(folder, 'postgres'))
  ending.defer(() => postgres.stop())
  const bucket = await openBucket(folder, ending, say)
  const data = dataFolderOf(folder)
  mkdirSync(data)
  const directly = {
    DATA_DIR: data,
    DATABASE_URL: postgres.url,
    VERSION_LOG_KEY_FILE: makeLogKey(folder),
    ...bucket?.environment(bucket.endpoint),
  }
  const servers: FaultyServer[] = []
  const environments = new Map<FaultyServer, Record<string, string>>()
  const lines: Line[] = []
  for (const name of names) {
    const before = async (url: string) => {
      const { hostname, port } = new URL(url)
      const proxy = await TcpProxy.before({ host: hostname, port: Number(port) })
      ending.defer(() => proxy.close())
      return proxy
    }
    const [toDatabase, toObjects] = [await before(postgres.url), bucket && (await before(bucket.endpoint))]
    const through = new URL(postgres.url)
    through.port = String(toDatabase.port)
    const environment = {
      ...directly,
      DATABASE_URL: through.href,
      ...(bucket && toObjects && bucket.environment(`http://127.0.0.1:${toObjects.port}`)),
    }
    const server = await FaultyServer.make({ name, folder, environment })
    ending.defer(() => server.close())
    servers.push(server)
    environments.set(server, environment)
    const proxies = Object.entries({ database: toDatabase, objects: toObjects })
    for (const [store, proxy] of proxies)
      if (proxy !== undefined) lines.push({ server, store: store as StoreName, proxy })
  }
  for (const server of servers) server.start()
  return {
    name: `two servers, PostgreSQL and ${bucket === undefined ? 'a folder' : 'S3'}`,
    servers,
    lines,
    postgres: {
      restart: (how) => postgres.restart(how),
      query: async (statement) => void (await queryOn(postgres.url, statement)),
      count: async (query) => Number((await queryOn(postgres.url, query)).rows[0].count),
    },
    ...(bucket === undefined ? { objects: join(data, 'objects') } : { gateway: bucket.gateway }),
    fsck: () => runFsck(directly),
    sweepsAlone: false,
    sweep: (server) => startSweep(environments.get(server)!),
  }
}

/** Returns undefined, after a message, if no S3 server is installed. */
export async function openBucket(folder: string, ending: AsyncDisposableStack, say: (line: string) => void) {
  if (!cephInstalled()) {
    say(`Objects lie in a folder, and S3 is not tested. To test it: apt-get install ${cephPackages}`)
    return undefined
  }
  const s3 = await startCeph(join(folder, 's3'))
  ending.defer(() => s3.stop())
  const { settings } = await makeBucketOn(s3)
  const environment = (endpoint: string): Record<string, string> => ({
    OBJECT_STORE: `s3://${settings.bucket}/faults`,
    S3_ENDPOINT: endpoint,
    AWS_ACCESS_KEY_ID: s3.keys.accessKeyId,
    AWS_SECRET_ACCESS_KEY: s3.keys.secretAccessKey,
  })
  const restart = (milliseconds: number) => s3.restartGateway!(milliseconds)
  return { endpoint: s3.endpoint, environment, gateway: { restart } }
}

async function queryOn(url: string, statement: string): Promise<pg.QueryResult> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    return await client.query(statement)
  } finally {
    await client.end()
  }
}
