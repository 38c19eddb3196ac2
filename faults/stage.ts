/** Stage of a run: servers, their stores, and the faults that can be injected. */
import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { createClient } from '@ulmus/client'
import { signerOf, skeyOf } from '@ulmus/content/log'
import type { TcpProxy } from '@ulmus/storage/testing/tcp-proxy'
import { startArguments, startEnvironment } from '../apps/server/src/testing/server-process.ts'
import { tied } from '../bench/children.ts'
import { signIn } from '../demo/sign-in.ts'
import type { Cluster } from './cluster.ts'
import type { FaultyServer } from './server.ts'

export type StoreName = 'database' | 'objects'

/** Network connection between one server and one store. */
export interface Line {
  readonly server: FaultyServer
  readonly store: StoreName
  readonly proxy: TcpProxy
}

export interface Stage {
  readonly name: string
  readonly servers: readonly FaultyServer[]
  /** Empty if both stores are in the process or its folder. */
  readonly lines: readonly Line[]
  /** Absent: the database is embedded. */
  readonly postgres?: {
    restart(how: 'crash' | 'fast'): Promise<void>
    /** Runs one statement directly on the database. */
    query(statement: string): Promise<void>
    /** Returns the single number of a query. */
    count(query: string): Promise<number>
  }
  /** Absent: PostgreSQL has no standby. */
  readonly cluster?: Pick<Cluster, 'strike' | 'switchOver' | 'settled'>
  /** The gateway of the S3 server: killed, and started again after some milliseconds. */
  readonly gateway?: { restart(milliseconds: number): Promise<void> }
  /** Absent: the data folder is not on a disk of its own. */
  readonly disk?: { fill(bytesLeft: number): void; clear(): void }
  /** Folder of packs, if they are in a folder. */
  readonly objects?: string
  /** Runs `fsck --files` beside the servers or on a copy. @returns its output; `isClean`: nothing is damaged */
  fsck(): Promise<{ isClean: boolean; said: string }>
  /** True: only one process can open the database, so servers are stopped during a sweep. */
  readonly sweepsAlone: boolean
  /** Starts `sweep` with the stores and the network of one server. */
  sweep(server: FaultyServer): Sweep
  close(): Promise<void>
}

/** It reads everything stored, and that grows with the run. */
const fsckMillisecondsMax = 600_000

export const owner = 'ada'
export const org = 'elms'
/** Users outside the organization, who get grants on collections. */
export const collaborators = ['cleo', 'dora'] as const

/** Signs in, makes an organization for forks, and a key. @returns the key */
export async function makeAccount(url: string): Promise<string> {
  const { fetch } = await signIn(url, { login: owner, name: 'Ada', email: 'ada@example.org' })
  const session = createClient({ baseUrl: url, fetch })
  await session.orgs.create({ slug: org, displayName: 'Elms' })
  return (await session.keys.create({ label: 'faults', scope: 'admin' })).key
}

/** Signs the collaborators in. @returns a key of each */
export async function makeCollaborators(url: string): Promise<Map<string, string>> {
  const keys = new Map<string, string>()
  for (const login of collaborators) {
    const { fetch } = await signIn(url, { login, name: login, email: `${login}@example.org` })
    const session = createClient({ baseUrl: url, fetch })
    keys.set(login, (await session.keys.create({ label: 'faults', scope: 'admin' })).key)
  }
  return keys
}

/** Runs the server's `fsck` command. */
export async function runFsck(
  environment: Record<string, string>,
): Promise<{ isClean: boolean; said: string }> {
  const { PATH, HOME, TMPDIR } = process.env
  const env = { ...startEnvironment, PATH, HOME, TMPDIR, ...environment }
  const args = [...startArguments, 'fsck', '--files']
  try {
    const { stdout } = await promisify(execFile)(process.execPath, args, {
      env,
      timeout: fsckMillisecondsMax,
    })
    return { isClean: true, said: stdout.trim() }
  } catch (error) {
    const { stdout, stderr, message } = error as { stdout?: string; stderr?: string; message: string }
    return { isClean: false, said: [stdout, stderr].join('\n').trim() || message }
  }
}

/** A running sweep process. */
export interface Sweep {
  /** Resolves at its end. `code`: null if it was killed. */
  readonly ended: Promise<{ code: number | null; said: string }>
  kill(): void
}

export function startSweep(environment: Readonly<Record<string, string>>): Sweep {
  const { PATH, HOME, TMPDIR } = process.env
  const child = tied(
    spawn(process.execPath, [...startArguments, 'sweep'], {
      env: { ...startEnvironment, PATH, HOME, TMPDIR, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    }),
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text
    })
  return {
    ended: once(child, 'close').then(([code]) => ({ code: code as number | null, said: said.trim() })),
    kill: () => void child.kill('SIGKILL'),
  }
}

export const dataFolderOf = (folder: string): string => join(folder, 'data')

/** Makes a key for the log that all servers of a stage share. @returns its file */
export function makeLogKey(folder: string): string {
  const file = join(folder, 'log.key')
  writeFileSync(file, skeyOf(signerOf('faults.example/log/1', 'ed25519', randomBytes(32))))
  return file
}
