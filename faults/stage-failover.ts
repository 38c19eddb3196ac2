/** Stage with two servers on PostgreSQL with a synchronous standby, and one S3 server. */
import { chmodSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { TcpProxy } from '@ulmus/storage/testing/tcp-proxy'
import { Cluster, clusterPackages } from './cluster.ts'
import { FaultyServer } from './server.ts'
import { dataFolderOf, type Line, makeLogKey, runFsck, type Stage, startSweep } from './stage.ts'
import { openBucket } from './stage-servers.ts'

/** Returns undefined, after a message, if pg_auto_failover is not installed. */
export async function openFailoverStage(
  folder: string,
  say: (line: string) => void,
): Promise<Stage | undefined> {
  await using opening = new AsyncDisposableStack()
  // PostgreSQL runs as another user.
  chmodSync(folder, 0o755)
  const cluster = await Cluster.start(join(folder, 'postgres'))
  if (cluster === undefined) {
    say(`Failovers of PostgreSQL are not tested. To test them, as root: apt-get install ${clusterPackages}`)
    return undefined
  }
  opening.defer(() => cluster.stop())
  const bucket = await openBucket(folder, opening, say)
  const data = dataFolderOf(folder)
  mkdirSync(data)
  const directly = {
    DATA_DIR: data,
    DATABASE_URL: cluster.url,
    VERSION_LOG_KEY_FILE: makeLogKey(folder),
    ...bucket?.environment(bucket.endpoint),
  }
  const servers: FaultyServer[] = []
  const lines: Line[] = []
  const environments = new Map<FaultyServer, Record<string, string>>()
  for (const name of ['left', 'right']) {
    const { hostname: host = '', port } = bucket ? new URL(bucket.endpoint) : {}
    const proxy = bucket && (await TcpProxy.before({ host, port: Number(port) }))
    if (proxy) opening.defer(() => proxy.close())
    const environment = {
      ...directly,
      ...(proxy && bucket.environment(`http://127.0.0.1:${proxy.port}`)),
    }
    const server = await FaultyServer.make({ name, folder, environment })
    opening.defer(() => server.close())
    servers.push(server)
    environments.set(server, environment)
    if (proxy) lines.push({ server, store: 'objects', proxy })
  }
  for (const server of servers) server.start()
  const ending = opening.move()
  return {
    name: `two servers, PostgreSQL with a standby, and ${bucket === undefined ? 'a folder' : 'S3'}`,
    servers,
    lines,
    cluster,
    postgres: {
      restart: (how) => cluster.crash(how === 'crash' ? 'SIGQUIT' : 'SIGINT'),
      query: async (statement) => void (await cluster.query(statement, 'ulmus')),
      count: async (query) => Number((await cluster.query(query, 'ulmus')).rows[0].count),
    },
    ...(bucket === undefined ? { objects: join(data, 'objects') } : { gateway: bucket.gateway }),
    fsck: () => runFsck(directly),
    sweepsAlone: false,
    sweep: (server) => startSweep(environments.get(server)!),
    close: () => ending.disposeAsync(),
  }
}
