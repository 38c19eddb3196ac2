#!/usr/bin/env node
// The program that npm links as `ulmus-server`. It is read by old Nodes, too: it finds one that the server runs on, its own or the one
// that npm brought along, and starts that as `npm start` does.
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { constants } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

// docs/tuning.md ("Memory") says what these bring. glibc reads the variables only as a process begins.
const options = ['--max-semi-space-size=8', '--v8-pool-size=1']
const variables = { MALLOC_ARENA_MAX: '2', MALLOC_MMAP_THRESHOLD_: '131072' }

const server = fileURLToPath(new URL('start.js', import.meta.url))
const [major, minor] = process.versions.node.split('.').map(Number)
const isNewEnough = major > 24 || (major === 24 && minor >= 6)

/** The Node that npm brought; undefined where there is no package of it for this machine, or it was left out. */
function broughtNode() {
  // The link of npm, which operators replace by that of a newer one: docs/install.md ("Another Node"). On Windows it is a script.
  const [modules] = /^.*\/node_modules\//.exec(import.meta.url) ?? []
  const linked = modules && fileURLToPath(new URL('.bin/node', modules))
  if (linked && process.platform !== 'win32' && existsSync(linked)) return linked
  const system = process.platform === 'win32' ? 'win' : process.platform
  try {
    const manifest = createRequire(import.meta.url).resolve(`node-${system}-${process.arch}/package.json`)
    const program = join(dirname(manifest), JSON.parse(readFileSync(manifest, 'utf8')).bin.node)
    return existsSync(program) ? program : undefined
  } catch {
    return undefined
  }
}

/** Signals go on to the server, and this process ends as it does. The channel tells the server when this process is killed. */
function standBefore(node, args, env) {
  const child = spawn(node, args, { env, stdio: ['inherit', 'inherit', 'inherit', 'ipc'] })
  const signals = ['SIGTERM', 'SIGINT', 'SIGHUP']
  for (const signal of signals) process.on(signal, () => child.kill(signal))
  child.on('error', ({ message }) => {
    process.stderr.write(
      `Ulmus cannot start. ${node} cannot be run: ${message}. Install Node 24.6 or newer.\n`,
    )
    process.exitCode = 1
  })
  child.on('exit', (code, signal) => {
    process.exitCode = code ?? 128 + constants.signals[signal]
    if (child.connected) child.disconnect()
    for (const one of signals) process.removeAllListeners(one)
  })
}

const node = isNewEnough ? process.execPath : broughtNode()
if (node === undefined) {
  // It says what to install.
  await import('./start.js')
} else {
  const args = [...options, server, ...process.argv.slice(2)]
  const env = { ...variables, ...process.env }
  // From 22.15 on, this process becomes the server, without a parent in between. Windows cannot do that.
  if (process.platform !== 'win32' && typeof process.execve === 'function')
    process.execve(node, [node, ...args], env)
  else standBefore(node, args, env)
}
