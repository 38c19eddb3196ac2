/**
 * A real S3 server for tests: Ceph (monitor, one storage daemon in memory, S3 gateway), as packaged by Debian. It starts in two
 * seconds and persists nothing.
 */
import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { randomBytes, randomUUID } from 'node:crypto'
import { accessSync, closeSync, constants, mkdirSync, openSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './postgres.ts'

export interface S3Server {
  /** `http://127.0.0.1:<port>` */
  readonly endpoint: string
  readonly keys: { readonly accessKeyId: string; readonly secretAccessKey: string }
  /** ARN of a role that the account of `keys` may assume at the endpoint. Undefined if there is none. */
  readonly role?: string
  /** Kills the gateway, and starts it again after this time. Resolves when it answers. Absent: it is another's server. */
  restartGateway?(milliseconds: number): Promise<void>
  stop(): Promise<void>
}

/** `setpriv` ends the daemons with the run, even after a crash. */
const programs = [
  'setpriv',
  'ceph',
  'ceph-authtool',
  'ceph-mon',
  'ceph-osd',
  'monmaptool',
  'radosgw',
  'radosgw-admin',
]
/** Debian's packages of the programs, for the message about missing ones. */
export const cephPackages = 'radosgw ceph-mon ceph-osd ceph-common'
/** A role that the account may assume, for one second or longer, with all rights on buckets. */
const roleName = 'Ulmus'
const policy = (statement: object) =>
  JSON.stringify({ Version: '2012-10-17', Statement: [{ Effect: 'Allow', ...statement }] })
const account = { AWS: ['arn:aws:iam:::user/ulmus'] }
const mayAssume = `--assume-role-policy-doc=${policy({ Principal: account, Action: ['sts:AssumeRole'] })}`
const mayAll = `--policy-doc=${policy({ Action: ['s3:*'], Resource: 'arn:aws:s3:::*' })}`
const startMillisecondsMax = 25_000

/** True if the programs are installed. */
export const cephInstalled = (): boolean => programs.every(isOnPath)

function isOnPath(program: string): boolean {
  return (process.env.PATH ?? '').split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

/** Starts a cluster on free ports of 127.0.0.1, with its files in `folder`, which is created. */
export async function startCeph(folder: string): Promise<S3Server> {
  for (const part of ['mon', 'osd', 'rgw', 'run']) mkdirSync(join(folder, part), { recursive: true })
  const [monitorPort, port] = [await freePort(), await freePort()]
  const [cluster, osd] = [randomUUID(), randomUUID()]
  const [keyring, map] = [join(folder, 'keyring'), join(folder, 'monmap')]
  writeFileSync(join(folder, 'ceph.conf'), configuration(folder, { cluster, monitorPort, port }))
  const env = { ...process.env, CEPH_CONF: join(folder, 'ceph.conf') }
  const run = (program: string, ...flags: string[]) =>
    promisify(execFile)(program, flags, { env, timeout: startMillisecondsMax })
  const daemons: ChildProcess[] = []
  const start = (program: string, ...flags: string[]) => {
    const output = openSync(join(folder, `${program}.out`), 'a')
    const whole = ['--pdeathsig', 'KILL', program, '-f', ...flags]
    const daemon = spawn('setpriv', whole, { env, stdio: ['ignore', output, output] })
    daemons.push(daemon)
    closeSync(output)
    return daemon
  }
  const stop = () => endAll(daemons)
  const all = ['--cap', 'mon', 'allow *', '--cap', 'osd', 'allow *']
  try {
    await run('ceph-authtool', '--create-keyring', keyring, '--gen-key', '-n', 'mon.', ...all)
    for (const name of ['client.admin', 'osd.0'])
      await run('ceph-authtool', keyring, '--gen-key', '-n', name, ...all)
    await run(
      'monmaptool',
      '--create',
      '--fsid',
      cluster,
      '--addv',
      'a',
      `[v2:127.0.0.1:${monitorPort}/0]`,
      map,
    )
    await run('ceph-mon', '--mkfs', '-i', 'a', '--monmap', map, '--keyring', keyring)
    start('ceph-mon', '-i', 'a')
    await run('ceph', 'osd', 'new', osd)
    await run('ceph-osd', '-i', '0', '--mkfs', '--osd-uuid', osd)
    start('ceph-osd', '-i', '0')
    const keys = { accessKeyId: 'ulmus', secretAccessKey: randomUUID() }
    const { accessKeyId, secretAccessKey } = keys
    const user = ['--uid=ulmus', '--display-name=Ulmus', `--access-key=${accessKeyId}`]
    await run('radosgw-admin', 'user', 'create', ...user, `--secret-key=${secretAccessKey}`)
    await run('radosgw-admin', 'role', 'create', `--role-name=${roleName}`, mayAssume)
    await run('radosgw-admin', 'role-policy', 'put', `--role-name=${roleName}`, '--policy-name=all', mayAll)
    const startGateway = () => start('radosgw', '-n', 'client.admin', '--keyring', keyring)
    let gateway = startGateway()
    const endpoint = `http://127.0.0.1:${port}`
    await untilAnswers(endpoint)
    const restartGateway = async (milliseconds: number) => {
      await endAll([gateway])
      await sleep(milliseconds)
      gateway = startGateway()
      await untilAnswers(endpoint)
    }
    return { endpoint, keys, role: `arn:aws:iam:::role/${roleName}`, restartGateway, stop }
  } catch (error) {
    await stop()
    throw error
  }
}

function configuration(
  folder: string,
  { cluster, monitorPort, port }: { cluster: string; monitorPort: number; port: number },
): string {
  return `[global]
fsid = ${cluster}
mon host = [v2:127.0.0.1:${monitorPort}/0]
public addr = 127.0.0.1
cluster addr = 127.0.0.1
ms bind ipv6 = false
ms bind msgr1 = false
run dir = ${folder}/run
admin socket = ${folder}/run/$name.$pid.asok
pid file = ${folder}/run/$name.pid
log file = ${folder}/$name.log
mon cluster log file = ${folder}/cluster.log
keyring = ${folder}/keyring
mon data = ${folder}/mon
paxos propose interval = 0.02
osd data = ${folder}/osd
osd objectstore = memstore
memstore device bytes = 4294967296
osd pool default size = 1
osd pool default min size = 1
osd pool default pg num = 1
osd pool default pg autoscale mode = off
osd crush chooseleaf type = 0
mon allow pool size one = true
mon max pg per osd = 1000
rgw frontends = beast endpoint=127.0.0.1:${port} tcp_nodelay=1
rgw data = ${folder}/rgw
rgw s3 auth use sts = true
rgw s3 auth order = local, sts
rgw sts key = ${randomBytes(8).toString('hex')}
rgw sts min session duration = 1
`
}

async function untilAnswers(endpoint: string): Promise<void> {
  const end = Date.now() + startMillisecondsMax
  while (true) {
    const answer = await fetch(endpoint).catch(() => undefined)
    if (answer !== undefined) return
    if (Date.now() > end) throw new Error(`Ceph does not answer at ${endpoint}.`)
    await sleep(50)
  }
}

/** Kills the daemons without a clean shutdown: the data is disposable. */
async function endAll(daemons: readonly ChildProcess[]): Promise<void> {
  await Promise.all(
    daemons.map(async (daemon) => {
      if (daemon.exitCode !== null || daemon.signalCode !== null) return
      const ended = new Promise((resolve) => daemon.once('exit', resolve))
      daemon.kill('SIGKILL')
      await ended
    }),
  )
}
