import { chownSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { afterAll, describe, expect, test } from 'vitest'
import { runCommand } from '../commands.ts'
import { readConfig } from '../config.ts'
import { startServer } from '../server.ts'

const root = mkdtempSync(join(tmpdir(), 'ulmus-owner-'))
afterAll(() => rmSync(root, { recursive: true }))
const uid = 3_999_999_998

function folderOf(name: string, owner: number, ...within: string[]): string {
  const folder = join(root, name)
  mkdirSync(join(folder, ...within), { recursive: true })
  chownSync(join(folder, ...within), owner, owner)
  return folder
}

const run = (args: string[], env: Record<string, string>) =>
  runCommand(args, { environment: env, out: () => undefined, err: (text) => said.push(text) })
const said: string[] = []

describe.runIf(process.geteuid?.() === 0)('root and the folder of another account', () => {
  const sentence = (named: string) =>
    `${named}, belongs to the account ${uid}, which could not open files that root makes there. Run this command as that account: sudo -u '#${uid}' …`

  test.each([['fsck'], ['sweep'], ['secrets'], ['log', 'restart'], ['export', 'ada', '--reason', 'r']])(
    '%s is refused and makes nothing',
    async (...args) => {
      const DATA_DIR = folderOf(`data-${args[0]}`, uid)
      await expect(run(args, { DATA_DIR })).rejects.toThrow(sentence(`DATA_DIR, ${DATA_DIR}`))
      expect(readdirSync(DATA_DIR)).toEqual([])
    },
  )

  test('so is the start, also if the account owns a store alone', async () => {
    const DATA_DIR = folderOf('data-start', uid, 'database')
    const config = readConfig({ DATA_DIR, PORT: '0' })
    const starting = startServer(config, { databaseUrl: undefined, oidcClientSecret: undefined }, {
      log: pino({ level: 'silent' }),
      downloads: new Map(),
    } as never)
    await expect(starting).rejects.toThrow(sentence(`DATA_DIR, ${DATA_DIR}`))
    expect(readdirSync(DATA_DIR)).toEqual(['database'])
  })

  test('so are a backup into one and a restore into one', async () => {
    const target = folderOf('target', uid)
    const DATA_DIR = folderOf('own', 0)
    for (const args of [
      ['backup', target],
      ['backup', DATA_DIR],
      ['restore', DATA_DIR],
    ]) {
      said.length = 0
      const isTarget = args[1] === target
      expect(await run(args, { DATA_DIR: isTarget ? DATA_DIR : target })).toBe(1)
      expect(said.join('')).toContain(sentence(`${isTarget ? 'TARGET' : 'DATA_DIR'}, ${target}`))
    }
    expect(readdirSync(target)).toEqual([])
    expect(existsSync(join(DATA_DIR, 'database'))).toBe(false)
  })
})
