/** docs/verify.py with data of a real registry: verifies it, and refuses it if any byte is changed. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databases } from '@ulmus/storage/testing'
import { docsFolder } from '@ulmus/web'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { run } from '../testing/snippets.ts'
import { type Stage, setStage } from '../testing/stage.ts'
import { fileHash } from '../testing/test-client.ts'

const verifier = join(docsFolder, 'verify.py')
const folder = mkdtempSync(join(tmpdir(), 'ulmus-verifier-'))
const [embedded] = databases
let stage: Stage
let path: string

/**
 * Verifies a file with each of its bytes changed in turn, or each of what it holds compressed; prints how many there were and which were
 * taken for good. A few bits mean nothing, since the decoded data are the same: padding of the compressed form, the name of an operating system in
 * it, the case of a number's `e`.
 */
const everyByte = `
import gzip, importlib.util, json, random, sys
_, verifier, what, file, digest = sys.argv
spec = importlib.util.spec_from_file_location("verify", verifier)
verify = importlib.util.module_from_spec(spec)
spec.loader.exec_module(verify)
check = verify.verify_export if what != "proof" else verify.verify_proof
whole = open(file, "rb").read()
content = gzip.decompress(whole) if what == "tar" else whole
meaning = {"export": gzip.decompress, "tar": bytes, "proof": json.loads}[what]
taken, changed = [], 0
for at in range(len(content)):
    bytes_ = bytearray(content)
    bytes_[at] ^= 1 << random.randrange(8)
    with open(file + ".changed", "wb") as out:
        out.write(gzip.compress(bytes(bytes_), 1) if what == "tar" else bytes_)
    changed += 1
    try:
        check(file + ".changed", digest)
        if meaning(bytes(bytes_)) != meaning(content):
            taken.append(at)
    except (verify.Refused, OSError):
        pass
print(changed, taken)
`

beforeAll(async () => {
  stage = await setStage(embedded!)
  path = (await stage.newCollection()).path
  const texts = ['a photo', 'a photo that is hidden']
  for (const text of texts) await stage.ada.upload(path, text)
  const [photo, hidden] = texts.map(fileHash)
  await stage.push(path, {
    opening: {
      schemas: {
        City: { properties: { name: {}, mayor: { private: true }, photo: {} } },
        Hidden: { private: true },
      },
      metadata: { description: 'Cities, some – ✓' },
    },
    puts: [
      { id: 'a/é', type: 'City', data: { name: 'A', mayor: 'M', photo: { $file: photo } } },
      { id: 'b', type: 'City', data: { name: 1e21 } },
      { id: 'c', type: 'City', data: { name: 'C', photo: { $file: hidden } }, private: true },
      { id: 'd', type: 'Hidden', data: 'D' },
    ],
  })
})
afterAll(async () => {
  await stage.end()
  rmSync(folder, { recursive: true, force: true })
})

const verify = (...parameters: string[]) => run('python3', [verifier, ...parameters], { cwd: folder })

async function saved(
  who: 'anyone' | 'ada',
  name: string,
  rest: string,
): Promise<{ file: string; digest: string }> {
  const answer = await stage[who].get(`${path}${rest}`)
  expect(answer.status).toBe(200)
  const file = join(folder, name)
  writeFileSync(file, answer.bytes)
  return { file, digest: String((await stage[who].get(`${path}/versions/latest`)).json['hash']) }
}

const wrong = `public:${'0'.repeat(64)}`

test.each(['anyone', 'ada'] as const)(
  'an export as %s reads it, and with any byte changed',
  async (who) => {
    const { file, digest } = await saved(who, `${who}.tar.gz`, '/export')
    expect(digest.startsWith(who === 'ada' ? 'private:' : 'public:')).toBe(true)
    const found = await verify('export', file, '--digest', digest)
    const said = who === 'ada' ? '4 records of 2 types and 2 files' : '2 records of 1 type and 1 file'
    expect(found).toEqual({ code: 0, out: `Verified. ${said} are exactly those of ${digest}.\n` })
    expect((await verify('export', file)).code).toBe(0)
    expect((await verify('export', file, '--digest', wrong)).code).toBe(1)
    for (const what of ['export', 'tar']) {
      const { code, out } = await run('python3', ['-c', everyByte, verifier, what, file, digest], {
        cwd: folder,
      })
      expect(code, out).toBe(0)
      expect(out).toMatch(/^\d{3,5} \[\]\n$/)
    }
  },
  180_000,
)

test('a proof, and with any byte changed', async () => {
  const { file, digest } = await saved('anyone', 'proof.json', '/versions/latest/records/City/b?proof=true')
  const found = await verify('proof', file, '--digest', digest)
  expect(found).toEqual({
    code: 0,
    out: `Verified. The record City/b belongs to the version whose digest is ${digest}.\n`,
  })
  expect((await verify('proof', file, '--digest', wrong)).code).toBe(1)
  const { code, out } = await run('python3', ['-c', everyByte, verifier, 'proof', file, digest], {
    cwd: folder,
  })
  expect(code, out).toBe(0)
  expect(out).toMatch(/^\d{3,5} \[\]\n$/)
})
