/** Messages to systemd, received on a socket as systemd makes it. */
import { execFileSync, spawn } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import '@ulmus/storage/testing'
import { afterAll, expect, inject, test, vi } from 'vitest'
import { startProcess } from './testing/server-process.ts'

const folder = mkdtempSync(join(tmpdir(), 'ulmus-notify-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const root = join(import.meta.dirname, '../../..')

/** Appends each datagram to a file, a line each. */
const receiver = `
import socket, sys
box = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
box.bind(sys.argv[1])
out = open(sys.argv[2], "a", buffering=1)
while True:
    out.write(box.recv(4096).decode() + "\\n")
`
/** Stands in for the command of systemd where there is none. */
const standIn = `#!/usr/bin/env python3
import os, socket, sys
socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM).sendto(sys.argv[1].encode(), os.environ["NOTIFY_SOCKET"])
`

test('systemd learns when the server is ready and when it ends', async () => {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'systemd-notify'), standIn)
  chmodSync(join(bin, 'systemd-notify'), 0o755)
  const [socket, received] = [join(folder, 'notify'), join(folder, 'received')]
  writeFileSync(received, '')
  const receiving = spawn('python3', ['-c', receiver, socket, received])
  const data = join(folder, 'data')
  cpSync(inject('embeddedTemplate'), join(data, 'database'), { recursive: true })
  try {
    await vi.waitUntil(() => execFileSync('ls', [folder], { encoding: 'utf8' }).includes('notify'), 60_000)
    const server = await startProcess({
      ...{ DATA_DIR: data, NOTIFY_SOCKET: socket },
      // The system's own command is used where there is one.
      PATH: `${process.env['PATH']}:${bin}`,
    })
    const lines = () => readFileSync(received, 'utf8').split('\n')
    await vi.waitUntil(() => lines().includes('READY=1'), 60_000)
    expect(lines()).not.toContain('STOPPING=1')
    expect(await server.end('SIGTERM')).toBe(0)
    expect(lines()).toContain('STOPPING=1')
    expect(server.output.out).not.toContain('systemd-notify')
  } finally {
    receiving.kill()
  }
}, 180_000)

test('the unit waits for the message, however long migrations take', () => {
  const unit = readFileSync(join(root, 'deploy/ulmus.service'), 'utf8')
  for (const line of ['Type=notify', 'NotifyAccess=all', 'TimeoutStartSec=infinity'])
    expect(unit.split('\n')).toContain(line)
})
