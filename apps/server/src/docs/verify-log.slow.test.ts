/** `docs/verify.py log`: with the worked bytes of docs/formats.md and any bit of them changed, and with the log of a real registry. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  checkpointText,
  leafHashOf,
  openedLeaves,
  parseCheckpoint,
  parseSkey,
  parseStatement,
  proofText,
  signerOf,
  signNote,
  splitNote,
  statementText,
  vkeyOf,
} from '@ulmus/content/log'
import { goldenText } from '@ulmus/content/testing/golden'
import { anyDatabase } from '@ulmus/storage/testing'
import { docsFolder } from '@ulmus/web'
import { afterAll, expect, test } from 'vitest'
import { run, snippetsOf } from '../testing/snippets.ts'
import { put, setStage } from '../testing/stage.ts'

const verifier = join(docsFolder, 'verify.py')
const folder = mkdtempSync(join(tmpdir(), 'ulmus-verify-log-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const verify = (...parameters: string[]) => run('python3', [verifier, 'log', ...parameters], { cwd: folder })
function saved(name: string, content: unknown): string {
  const file = join(folder, name)
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  return file
}

const digits = 'b09ab9abad3bbf09958557ee53287a63b9971cd388049540a6544c7740fdc485'
const vkey = ['--vkey', goldenText('log-vkey')]
const witness = vkeyOf(signerOf('mirror.example/w', 'cosignature', new Uint8Array(32).fill(7)))
const stranger = vkeyOf(signerOf('mirror.example/w', 'cosignature', new Uint8Array(32).fill(8)))
const salted = (byte: number) => Buffer.alloc(32, byte).toString('base64')
const golden = {
  statement: goldenText('log-statement'),
  salt: salted(0x11),
  fullSalt: salted(0x12),
  ...{ key: null, chain: Buffer.from(goldenText('log-chain'), 'hex').toString('base64'), links: [] },
  proof: `${goldenText('log-proof')}\n`,
}
/** The second version, with a link to the first leaf. */
const second = { ...JSON.parse(goldenText('log-second')), fullSalt: salted(0x12) }

test('the worked bytes: both digests, the witness, and what is refused', async () => {
  const file = saved('golden.json', golden)
  const outsider = saved('outsider.json', { ...golden, fullSalt: undefined })
  for (const digest of [digits, `public:${digits}`, `private:${digits}`]) {
    const { code, out } = await verify(file, ...vkey, '--witness', witness, '--digest', digest)
    expect(out).toMatch(
      /^Verified\. v1\.0\.0 of ada\/birds is entry 0 of the log registry\.example\/log\/1 with 3 /,
    )
    expect(out).toMatch(/Signed by mirror\.example\/w, registry\.example\/log\/1\.\n$/)
    expect(code).toBe(0)
  }
  const later = saved('second.json', second)
  expect(await verify(later, ...vkey, '--witness', witness, '--digest', `private:${digits}`)).toEqual({
    code: 0,
    out: expect.stringMatching(/^Verified\. v1\.0\.1 of ada\/birds is entry 1 of the log /),
  })
  const publicly = ['--digest', `public:${digits}`]
  const other = ['--digest', `public:${'0'.repeat(64)}`]
  expect(await verify(file, ...vkey, ...other)).toMatchObject({
    code: 1,
    out: expect.stringContaining('another digest'),
  })
  expect(await verify(outsider, ...vkey, ...publicly)).toMatchObject({ code: 0 })
  expect(await verify(outsider, ...vkey, '--digest', `private:${digits}`)).toMatchObject({ code: 1 })
  expect((await verify(file, ...vkey, ...publicly, '--witness', stranger)).out).toContain('has not signed')
  const otherLog = vkeyOf(signerOf('registry.example/log/1', 'ed25519', new Uint8Array(32).fill(9)))
  expect((await verify(file, '--vkey', otherLog, ...publicly)).out).toContain('No key of the log')
  for (const wrong of [publicly, vkey, [...vkey, ...publicly, '--url', 'http://127.0.0.1']])
    expect((await verify(file, ...wrong)).code).toBe(2)
})

test('control characters of a registry do not reach the terminal', async () => {
  const own = signerOf('own.example/log/1', 'ed25519', new Uint8Array(32).fill(3))
  const escapes = '\u001b[2K\u009b2K\u202e'
  const statement = statementText({ ...parseStatement(golden.statement), name: `ada/${escapes}birds` })
  const root = leafHashOf(openedLeaves({ ...golden, statement })[0]!)
  const checkpoint = signNote(checkpointText({ origin: own.name, size: 1, root }), [own])
  const file = saved('escapes.json', {
    ...golden,
    statement,
    proof: proofText({ index: 0, path: [], checkpoint }),
  })
  for (const digest of [digits, '0'.repeat(64)]) {
    const { out } = await verify(file, '--vkey', vkeyOf(own), '--digest', `public:${digest}`)
    expect(out).toContain('ada/\\x1b[2K\\x9b2K\\u202ebirds')
    expect(out.trimEnd()).toMatch(/^\P{C}+$/u)
  }
})

/** Prints how many bits were changed, and the members whose change was taken. */
const everyBit = `
import importlib.util, json, sys
_, verifier, file, vkey, witness, digest = sys.argv
spec = importlib.util.spec_from_file_location("verify", verifier)
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)
golden, taken, changed = json.load(open(file)), [], 0
texts = [(golden, name) for name in golden if isinstance(golden[name], str)]
for link in golden["links"]:
    texts += [(link, "chain"), (link, "commitment")] + [(link["path"], n) for n in range(len(link["path"]))]
for holder, name in texts:
    text = holder[name]
    data = text.encode()
    for at in range(len(data)):
        bits = bytearray(data)
        bits[at] ^= 1 << at % 7
        holder[name] = bits.decode("utf-8", "replace")
        open(file + ".changed", "w").write(json.dumps(golden))
        holder[name] = text
        changed += 1
        try:
            verify.verify_log(file + ".changed", digest, [vkey], [witness])
            taken.append((name, at))
        except verify.Refused:
            pass
print(changed, taken)
`

test('the worked bytes, each with a bit changed', { timeout: 240_000 }, async () => {
  for (const answer of [golden, second]) {
    const file = saved('bits.json', answer)
    const given = [verifier, file, goldenText('log-vkey'), witness, `private:${digits}`]
    const { out, code } = await run('python3', ['-c', everyBit, ...given], { cwd: folder })
    expect(code, out).toBe(0)
    expect(out).toMatch(/^\d{3,4} \[\]\n$/)
  }
})

test('links that lead elsewhere', async () => {
  const [link] = second.links
  const other = salted(0x14)
  const wrong: [object, string][] = [
    [{ key: other }, 'does not lead to the end of its chain'],
    [{ links: undefined }, 'needs the list `links`'],
    [{ links: [] }, 'is not in its chain'],
    [{ links: [link, link] }, 'is malformed'],
    [{ links: [{ ...link, chain: other }] }, 'is not in the log'],
    [{ links: [{ ...link, commitment: other }] }, 'is not in the log'],
    [{ links: [{ ...link, index: 1 }] }, 'is not in the log'],
    [{ links: [{ ...link, index: 2 }] }, 'is too long'],
    [{ chain: other }, 'is not in its chain'],
  ]
  for (const [change, words] of wrong) {
    const file = saved('wrong.json', { ...second, ...change })
    const { code, out } = await verify(file, ...vkey, '--digest', `public:${digits}`)
    expect([code, out]).toEqual([1, expect.stringContaining(words)])
  }
})

/** Debian's golang-go and golang-golang-x-mod-dev. */
const goSources = '/usr/share/gocode'
const hasGo = process.env['CI'] === 'true' || existsSync(join(goSources, 'src/golang.org/x/mod/sumdb/tlog'))

test.skipIf(!hasGo)('the program in Go on the page', { timeout: 300_000 }, async () => {
  const program = snippetsOf('docs/log-format.md').find(({ language }) => language === 'go')!
  const source = saved('verify.go', program.text)
  const file = saved('golden.json', golden)
  const env = { GO111MODULE: 'off', GOPATH: goSources, HOME: homedir() }
  const built = await run('go', ['build', '-o', 'verify', source], { cwd: folder, env })
  expect(built.code, built.out).toBe(0)
  const verified = (digest: string, answer: object = golden) => {
    saved('golden.json', answer)
    return run('./verify', [file, goldenText('log-vkey'), digest], { cwd: folder })
  }
  const isTaken = async (answer: object) => (await verified(`public:${digits}`, answer)).code === 0
  const said = 'v1.0.0 of ada/birds is entry 0 of registry.example/log/1\n'
  expect(await verified(`public:${digits}`)).toEqual({ code: 0, out: said })
  expect(await verified(`public:${digits}`, second)).toEqual({
    code: 0,
    out: said.replace('v1.0.0', 'v1.0.1').replace('entry 0', 'entry 1'),
  })
  expect((await verified(`public:${'0'.repeat(64)}`)).code).toBe(1)
  for (const part of ['u4vp', '00ey', 'W1fX', 'MpAhU7QT']) {
    const proof = golden.proof.replace(part, `A${part.slice(1)}`)
    expect([part, proof === golden.proof, await isTaken({ ...golden, proof })]).toEqual([part, false, false])
  }
  const [link] = second.links
  const other = salted(0x14)
  for (const change of [{ key: other }, { chain: other }, { links: [] }])
    expect([change, await isTaken({ ...second, ...change })]).toEqual([change, false])
  for (const change of [{ chain: other }, { commitment: other }, { index: 2 }, { path: [] }])
    expect([change, await isTaken({ ...second, links: [{ ...link, ...change }] })]).toEqual([change, false])
})

test('the log of a registry, which continues itself and no other', { timeout: 300_000 }, async () => {
  const stage = await setStage(anyDatabase[0]!)
  const { path } = await stage.newCollection()
  const { url } = stage.server
  const versionLog = async () => (await stage.anyone.get(`${path}/versions/latest/log`)).json
  const kept = async (name: string) => {
    const text = await (await fetch(`${url}/log/checkpoint`)).text()
    return { file: saved(name, text), ...parseCheckpoint(splitNote(text).text) }
  }
  await stage.push(path, { opening: { schemas: { A: {} } }, puts: [put('1')] })
  await versionLog()
  const earlier = [await kept('0.txt')]
  // 262 leaves: more than a tile.
  for (let n = 1; n <= 260; n++) {
    await stage.ada.patch(`${path}/metadata`, { note: `${n}` })
    if (![5, 130, 254, 255].includes(n)) continue
    await versionLog()
    earlier.push(await kept(`${n}.txt`))
  }
  const file = saved('latest.json', await versionLog())
  earlier.push(await kept('latest.txt'))
  expect(new Set(earlier.map(({ size }) => size)).size).toBe(6)
  const { origin, keys } = (await stage.anyone.get('/log')).json
  const { hash } = (await stage.anyone.get(`${path}/versions/latest`)).json
  const known = ['--vkey', keys[0].vkey, '--digest', hash]
  for (const { file: old } of earlier)
    expect(await verify(file, ...known, '--checkpoint', old, '--url', url)).toMatchObject({ code: 0 })

  // The key's holder signed another history for this reader.
  const signer = parseSkey(readFileSync(join(stage.server.dataFolder, 'test-log.key'), 'utf8').trim())
  for (const size of [earlier[1]!.size, earlier.at(-1)!.size + 1]) {
    const text = checkpointText({ origin, size, root: new Uint8Array(32).fill(1) })
    const forked = saved('forked.txt', signNote(text, [signer]))
    const { code, out } = await verify(file, ...known, '--checkpoint', forked, '--url', url)
    expect([code, out]).toEqual([1, expect.stringMatching(/different histories|had \d+ before/)])
  }
  await stage.end()
})
