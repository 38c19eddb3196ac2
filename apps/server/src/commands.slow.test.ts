import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { defaultLimits, openRegistry } from '@ulmus/registry'
import { AccountExport } from '@ulmus/wire'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { runCommand } from './commands.ts'

const binary = join(import.meta.dirname, '../ulmus-server.js')
const log = { info() {}, warn() {}, error() {} }

describe('the commands', () => {
  let folder: string
  let pack: string

  async function run(...args: string[]) {
    const said = { out: '', err: '' }
    const env = { DATA_DIR: folder }
    const code = await runCommand(args, {
      environment: env,
      out: (text) => {
        said.out += text
      },
      err: (text) => {
        said.err += text
      },
    })
    return { code, ...said }
  }
  const open = () => openRegistry({ dataFolder: folder, limits: defaultLimits, works: false, log })

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ulmus-commands-'))
    const registry = await open()
    const account = await registry.accounts.signIn({
      issuer: 'test',
      subject: 'ada',
      preferredUsername: 'ada',
      email: null,
      name: 'Ada',
    })
    const me = {
      kind: 'session',
      accountId: account.id,
      accountSlug: account.slug,
      scope: 'admin',
      limitedTo: null,
      credential: null,
      expiresAt: null,
    } as const
    const path = { owner: account.slug, slug: 'c' }
    await registry.collections.create(me, account.slug, { slug: 'c' })
    async function* body(text: string) {
      yield Buffer.from(text)
    }
    const opening = body('{"base_version":null,"schemas":{"Item":{"type":"object"}}}')
    const { session_id } = await registry.pushes.open(me, path, opening, () => ({ base_version: null }))
    const lines = body('{"id":"a","type":"Item","data":{"n":1}}')
    await registry.pushes.receive(me, path, session_id, 'records', lines)
    await registry.pushes.commit(me, path, session_id, { async: false })
    await registry.close()
    const packs = join(folder, 'objects/packs')
    const [name] = (await readdir(packs, { recursive: true })).filter((one) => one.includes('-'))
    pack = join(packs, name!)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  test('say what they do', async () => {
    const { stdout } = await promisify(execFile)(process.execPath, [binary, '--help'])
    expect(stdout).toContain('ulmus-server [command]')
    for (const command of [
      'start',
      'config',
      'backup',
      'restore',
      'move',
      'sweep',
      'fsck',
      'secrets',
      'log',
      'export',
    ]) {
      expect(stdout).toContain(command)
      expect(await run(command, '--help')).toMatchObject({
        code: 0,
        out: expect.stringContaining(`ulmus-server ${command}`),
      })
    }
  })

  test('make a key for the log', async () => {
    const made = await run('log', 'key', '--name', 'registry.example/log/7')
    expect(made).toMatchObject({ code: 0, err: '' })
    expect(made.out).toMatch(/^PRIVATE\+KEY\+registry\.example\/log\/7\+[0-9a-f]{8}\+[\w+/=]+\n$/)
    expect((await run('log', 'key')).out).toMatch(/^PRIVATE\+KEY\+localhost-[0-9a-f]{8}\/log\/1\+/)
    expect(await run('log', 'rotate')).toMatchObject({ code: 2, out: '' })
    expect(await run('log', 'restart')).toMatchObject({ code: 0, err: '' })
    expect(await run('log', 'key', '--name', 'two words')).toMatchObject({ code: 1, out: '' })
  })

  test('say what they do not do', async () => {
    expect(await run('swep')).toMatchObject({ code: 2, err: expect.stringContaining('no command "swep"') })
    for (const [args, said] of [
      [['sweep', '--files'], "Unknown option '--files'"],
      [['sweep', '--force=no'], "Option '--force' does not take an argument"],
      [['fsck', 'everything'], "Unexpected argument 'everything'"],
      [['start', '--port=80'], "Unknown option '--port'"],
      [['backup'], 'TARGET is not given'],
      [['backup', 'a', 'b'], "Unexpected argument 'b'"],
      [['backup', 'a', '--keep', '0'], '--keep must be a number from 1'],
      [['restore', '--settings=x'], 'SOURCE is not given'],
      [['move'], 'FILE is not given'],
      [['move', 'new.env', '--back'], "Unexpected argument 'new.env'"],
      [['move', 'new.env', '--log-continues'], '--log-continues is for --back'],
      [['export', '--reason', 'x'], 'HANDLE is not given'],
      [['export', 'ada'], '--reason must be one line'],
      [['export', 'ada', '--reason', ' '], '--reason must be one line'],
    ] as const) {
      const { code, err } = await run(...args)
      expect(code).toBe(2)
      expect(err).toContain(said)
      expect(err).toContain(`ulmus-server ${args[0]}`)
    }
  })

  test('export prints what is stored of a user, and the audit log has the reason', async () => {
    const exported = await run('export', 'ada', '--reason', 'Request 17')
    expect(exported).toMatchObject({ code: 0, err: '' })
    const { account, collections, actsOfOthers } = AccountExport.parse(JSON.parse(exported.out))
    expect(account).toMatchObject({ slug: 'ada', type: 'user' })
    expect(collections).toMatchObject([{ slug: 'c', public: false }])
    expect(actsOfOthers).toMatchObject([
      { action: 'account.exported', actor: null, target: 'ada', details: { reason: 'Request 17' } },
    ])
    for (const handle of ['absent', '__proto__'])
      expect(await run('export', handle, '--reason', 'Request 18')).toEqual({
        ...{ code: 1, out: '', err: `There is no account \`${handle}\`.\n` },
      })
  })

  test('move --back says that nothing was moved', async () => {
    for (const flags of [[], ['--log-continues']])
      expect(await run('move', '--back', ...flags)).toEqual({
        code: 0,
        err: '',
        out: 'These stores were not moved, and nothing was changed.\n',
      })
  })

  test('fsck exits 0 when nothing is damaged', async () => {
    expect(await run('fsck', '--files')).toMatchObject({
      code: 0,
      out: expect.stringMatching(
        /^Checked 1 pack, \d objects, 1 version, 1 record, 0 files: nothing is damaged\.\n$/,
      ),
    })
  })

  test('fsck names what is damaged and exits 1, and so does a sweep that cannot read it', async () => {
    const whole = await readFile(pack)
    const bytes = Buffer.from(whole)
    bytes.fill(0, 12, 400)
    await writeFile(pack, bytes)
    const checked = await run('fsck')
    expect(checked.code).toBe(1)
    expect(checked.out).toMatch(/^DAMAGED (?:plain|body) object [0-9a-f]{64}: /)
    expect(checked.out).toMatch(/\d things are damaged\.\n$/)
    expect(await run('sweep')).toMatchObject({ code: 1, err: expect.stringContaining('Nothing was removed') })
    await writeFile(pack, whole)
  })

  test('fsck rebuilds the index and checks it', async () => {
    const { code, out } = await run('fsck', '--rebuild-index')
    expect(out).toMatch(
      /^The index has \d objects of 1 pack\. Left out, because their bases are gone: 0\.\nChecked 1 pack,/,
    )
    expect(code).toBe(0)
  })

  test('sweep tells what it did', async () => {
    expect(await run('sweep')).toEqual({
      code: 0,
      err: '',
      out: expect.stringMatching(
        /^1 version needs \d objects\. Erased: 0 withdrawn versions\.\nTaken out of the index: 0 objects\. .*\nUploads forgotten, which no version had in 30 days: 0 blobs of 0 bytes\.\nSet aside for 7 days: 0 blobs of 0 bytes\. Removed: 0 blobs of 0 bytes\. /,
      ),
    })
  })

  test('sweep refuses to take most of the store, unless it is forced to', async () => {
    const strange = join(folder, 'objects/files/ab')
    await mkdir(strange, { recursive: true })
    const lost = join(strange, `${'ab'.repeat(32)}`)
    await writeFile(lost, Buffer.alloc(2_000_000))
    const past = new Date(Date.now() - 2 * 86_400_000)
    await utimes(lost, past, past)
    expect(await run('sweep')).toMatchObject({
      code: 1,
      out: '',
      err: expect.stringMatching(
        /^No version needs 2000000 of the \d+ bytes .* `ulmus-server sweep --force` /,
      ),
    })
    expect(await run('sweep', '--force')).toMatchObject({
      code: 0,
      out: expect.stringContaining('Set aside for 7 days: 1 blob of 2,000,000 bytes. Removed: 0 blobs'),
    })
    expect((await stat(lost)).size).toBe(2_000_000)
    await rm(strange, { recursive: true })
  })

  test('an embedded database that is in use is left alone', async () => {
    const registry = await open()
    await expect(run('fsck')).rejects.toMatchObject({ name: 'FolderInUseError' })
    await registry.close()
  })
})
