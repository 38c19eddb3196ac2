/** A registry that lies to one reader, and the command that notices. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { createClient } from '@ulmus/client'
import {
  base64Of,
  hexOf,
  leafBytes,
  leafHashOf,
  type OpenedLeaf,
  type OpenedStatement,
  openedLeaves,
  parseStatement,
  type Signer,
  type Statement,
  signerOf,
  signNote,
  skeyOf,
  slotOf,
  splitNote,
  statementText,
  vkeyOf,
} from '@ulmus/content/log'
import { anyDatabase } from '@ulmus/storage/testing'
import type { LogFacts, LogStatement, VersionInLog } from '@ulmus/wire'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { serveForTest, type TestServer } from '../../../server/src/testing/serve.ts'
import { expectStatus, testClient } from '../../../server/src/testing/test-client.ts'
import { openPerson, type Person } from '../testing/cli.ts'
import { type Liar, leavesOf, logOf, openLiar, Refusal } from '../testing/lying-server.ts'

const origin = 'registry.example/log/1'
const seeded = (byte: number, name = origin): Signer =>
  signerOf(name, 'ed25519', new Uint8Array(32).fill(byte))
const [realKey, nextKey, strange] = [seeded(1), seeded(2), seeded(3)]
const salt = new Uint8Array(32).fill(5)
const versionLogPath = /^\/api\/collections\/ada\/birds\/versions\/[^/]+\/log$/

describe.each(anyDatabase)('a registry that lies, on $name', ({ settings: open }) => {
  let server: TestServer
  let liar: Liar
  let ada: ReturnType<typeof testClient>
  let adaKey: string
  let leaves: Uint8Array[]
  let facts: LogFacts
  let birds: VersionInLog
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-log-'))
  const ends: (() => unknown)[] = []
  const people: Person[] = []

  beforeAll(async () => {
    const { settings, dispose } = await open()
    const keyFile = join(folder, 'log.key')
    writeFileSync(keyFile, skeyOf(realKey))
    server = await serveForTest(settings, { versionLog: { keyFile } })
    liar = await openLiar(server.url)
    ends.push(
      () => liar.close(),
      () => server.close(),
      dispose,
    )
    const { cookie } = await server.signIn('ada')
    adaKey = await server.keyFor(cookie, 'admin')
    ada = testClient(server.url, adaKey)
    await publish('birds', 'robin')
    await publish('fish', 'cod')
    await expectStatus(ada.patch('/collections/ada/birds/metadata', { note: 'two' }), 201)
    birds = (await ada.get('/collections/ada/birds/versions/v1.0.0/log')).json
    await ada.get('/collections/ada/birds/versions/v1.0.1/log')
    facts = (await ada.get('/log')).json
    leaves = await leavesOf(server.url)
    expect(leaves.length).toBe(4)
  })
  afterEach(() => {
    liar.honest()
    for (const person of people.splice(0)) person.dispose()
  })
  afterAll(async () => {
    for (const end of ends) await end()
    rmSync(folder, { recursive: true, force: true })
  })

  const publish = (slug: string, id: string) =>
    createClient({ baseUrl: server.url, apiKey: adaKey }).push(`ada/${slug}`, {
      create: { public: true },
      baseVersion: null,
      schemas: { Animal: {} },
      records: [{ id, type: 'Animal', data: { id } }],
    })

  const reader = (key?: string): Person => {
    const person = openPerson(liar.url, key, { ULMUS_RETRY_SECONDS: '2' })
    people.push(person)
    return person
  }
  /** A reader who has verified a version, and knows the log. */
  const returning = async (): Promise<Person> => {
    const person = reader()
    expect(await verify(person)).toMatchObject({ code: 0 })
    return person
  }
  const verify = (who: Person, ...more: string[]) => who.ulmus('.', 'verify', 'ada/birds@v1.0.0', ...more)
  const monitor = (who: Person, ...more: string[]) => who.ulmus('.', 'log', 'monitor', 'ada/birds', ...more)
  const refused = (words: string, code = 1) => ({ code, said: expect.stringContaining(words) })
  const knownOf = (who: Person) =>
    JSON.parse(readFileSync(join(who.home, '.config/ulmus/known_logs'), 'utf8'))[liar.url]

  /** Shows other leaves. @param of statement of ada/birds@v1.0.0, at its place */
  function show(
    shown: readonly Uint8Array[],
    {
      signers = [realKey],
      more = {},
      named = facts,
    }: { signers?: Signer[]; more?: object; named?: object } = {},
  ): void {
    const log = logOf(shown, signers)
    liar.change = async (path, answer) => {
      if (path === '/api/log') return { ...named, size: shown.length }
      if (path.startsWith('/log/')) return log.file(path.slice('/log/'.length))
      if (!versionLogPath.test(path)) return undefined
      const real = JSON.parse(answer.toString()) as VersionInLog
      return { ...(await log.proven(real)), ...more }
    }
  }

  /** The leaf of another text in place of a statement. */
  const leafOf = (text: string, of: OpenedStatement = birds): Uint8Array =>
    openedLeaves({ ...of, statement: text, salt: base64Of(salt) }).at(-1)!
  const another = (change: Partial<Statement>): string =>
    statementText({ ...parseStatement(birds.statement), ...change })

  test('an honest one is remembered and taken', async () => {
    const person = reader()
    const first = await verify(person)
    expect(first).toMatchObject({ code: 0, said: expect.stringContaining(`is remembered: ${origin}`) })
    expect(first.said).toContain(vkeyOf(realKey))
    const again = await verify(person, '--json')
    expect(again.said).not.toContain('remembered')
    expect(JSON.parse(again.out).log).toMatchObject({ origin, size: 4, index: birds.index })
    expect(knownOf(person)).toMatchObject({ origin, size: 4, keys: [vkeyOf(realKey)] })
    expect(statSync(join(person.home, '.config/ulmus/known_logs')).mode & 0o777).toBe(0o600)
    expect(readdirSync(join(person.home, '.config/ulmus'))).toEqual(['known_logs'])
    const watched = await monitor(person)
    expect(watched).toMatchObject({ code: 0, out: '', said: expect.stringContaining('new: version v1.0.1') })
    expect((await monitor(person)).said).toContain('4 entries, 0 of them new')
    expect(await monitor(person, '--quiet')).toEqual({ code: 0, out: '', said: '' })
    const listed = await person.ulmus('.', 'log', 'show', 'ada/birds')
    expect(listed.out.split('\n')).toHaveLength(3)
    for (const words of [['ada/birds'], ['--limit', '2', 'ada/birds'], ['list', 'ada/birds']])
      expect((await person.ulmus('.', 'log', ...words)).out).toMatch(/^v1.0.1.*\nv1.0.0/)
    expect(await reader(adaKey).ulmus('.', 'log', 'monitor', 'ada/birds', 'ada/fish')).toMatchObject({
      code: 0,
    })
  })

  test('a member verifies the private digest, and a folder is verified, too', async () => {
    const member = reader(adaKey)
    expect(await verify(member, '--json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('private:'),
    })
    expect(await member.ulmus('.', 'clone', 'ada/birds')).toMatchObject({ code: 0 })
    expect(await member.ulmus('birds', 'verify', '--json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('"index"'),
    })
    liar.change = (path) => (path === '/api/log' ? new Refusal(501, 'log_unavailable') : undefined)
    expect(await member.ulmus('birds', 'verify')).toMatchObject(refused('signs no log now'))
    expect(await member.ulmus('birds', 'verify', '--no-log')).toMatchObject({ code: 0 })
    writeFileSync(join(member.home, '.config/ulmus/known_logs'), '{"http')
    expect(await member.ulmus('birds', 'verify')).toMatchObject(refused('known_logs is damaged'))
  })

  test('a folder is verified without its registry, unless a policy names witnesses', async () => {
    const person = reader()
    expect(await person.ulmus('.', 'clone', 'ada/birds')).toMatchObject({ code: 0 })
    const offline = ['verify', '--host', 'http://127.0.0.1:9']
    expect(await person.ulmus('birds', ...offline, '--json')).toMatchObject({
      code: 0,
      out: expect.stringContaining('"log": null'),
      said: expect.stringContaining('The signed log was not checked'),
    })
    writeFileSync(join(person.home, 'policy'), 'quorum none\n')
    expect(await person.ulmus('birds', ...offline, '--policy', '../policy')).toMatchObject(
      refused('--no-log'),
    )
  })

  test('verify: a changed record', async () => {
    const person = await returning()
    liar.change = (path, answer) =>
      path.includes('ndjson') || path.includes('/records')
        ? answer.toString().replaceAll('robin', 'raven')
        : undefined
    const ended = await verify(person)
    expect(ended).toMatchObject(refused(''))
    expect(ended.said).toMatch(/not what its hash says|has the digest/)
  })

  test('verify: another digest for a version, and another collection', async () => {
    const person = await returning()
    const moved = (path: string) => path.replace('/ada/birds', '/ada/fish')
    liar.move = (path) => (path.includes('/log') ? path : moved(path))
    expect(await verify(person)).toMatchObject(refused('another digest than the one that you were given'))
    expect(await verify(person, '--no-log')).toMatchObject({ code: 0 })
    liar.move = (path) => (path.startsWith('/api/log') ? path : moved(path))
    expect(await verify(person)).toMatchObject(refused('a statement about another collection.'))
    expect(await verify(reader())).toMatchObject(refused('as ada/fish, and never as ada/birds'))
  })

  test('another collection at the path of one that was verified', async () => {
    const [person, newcomer] = [await returning(), reader()]
    const other = statementText({ ...parseStatement(birds.statement), collection: realKey.name, prev: null })
    const more = { statement: other, salt: base64Of(salt) }
    const grown = [...leaves, leafOf(other)]
    const proof = await logOf(grown, [realKey]).proof(4)
    show(grown, { more: { ...more, proof } })
    expect(await verify(newcomer)).toMatchObject({ code: 0 })
    expect(await verify(person)).toMatchObject(refused('about another collection'))
    liar.change = (path, answer) =>
      path === '/api/collections/ada/birds'
        ? { ...JSON.parse(answer.toString()), id: realKey.name }
        : undefined
    expect(await monitor(person)).toMatchObject({
      code: 1,
      out: expect.stringContaining('another collection than before'),
    })
    const { said } = await person.ulmus('.', 'trust', liar.url)
    expect(said).toContain(
      `ada/birds is another collection than the verified one: its id is ${realKey.name}, and was `,
    )
    expect(said).not.toContain('Nothing differs.')
    liar.change = (path) =>
      path === '/api/collections/ada/birds' ? new Refusal(404, 'collection_not_found') : undefined
    expect((await person.ulmus('.', 'trust', liar.url)).said).toContain(
      'ada/birds is deleted, private or not',
    )
  })

  test('verify: a shorter log, and one that is gone', async () => {
    const person = await returning()
    show(leaves.slice(0, 3))
    const shorter = await verify(person)
    expect(shorter).toMatchObject(refused('The log has 3 entries, and had 4 before.'))
    expect(shorter.said).toContain(`\n  ulmus trust ${liar.url}\n`)
    expect(await monitor(person)).toMatchObject(refused('had 4 before'))
    liar.change = (path) => (path.includes('/log') ? new Refusal(501, 'log_unavailable') : undefined)
    expect(await verify(person)).toMatchObject(refused('signs no log now. It had one before'))
    expect(await verify(reader())).toMatchObject({ code: 0, said: expect.stringContaining('signs no log') })
    liar.change = (path) => (versionLogPath.test(path) ? new Refusal(404, 'not_logged') : undefined)
    expect(await verify(person)).toMatchObject(refused('the log has no statement about it'))
  })

  test('verify: another history for one reader', async () => {
    const person = await returning()
    const forged = another({ public: 'f'.repeat(64) as never })
    const fork = leaves.map((leaf, n) => (n === birds.index + 1 ? leafOf(forged) : leaf))
    show(fork)
    expect(await verify(person)).toMatchObject(
      refused('The log, with 4 entries, does not continue the one of before, with 4'),
    )
    show([...fork, leaves[0]!])
    expect(await verify(person)).toMatchObject(refused('does not continue'))
    expect(await monitor(person)).toMatchObject(refused('does not continue'))
    // A reader who has seen only the fork notices once the two histories meet.
    const newcomer = reader()
    expect(await verify(newcomer)).toMatchObject({ code: 0 })
    expect(await monitor(newcomer)).toMatchObject({ code: 1, out: expect.stringContaining('have one slot') })
    liar.honest()
    expect(await verify(newcomer)).toMatchObject(refused('had 5 before'))
  })

  test('verify: a proof that continues the log in another way than its checkpoint is remembered', async () => {
    const person = await returning()
    const [longer, other] = [1, 2].map((byte) => [...leaves, new Uint8Array(leafBytes).fill(byte)])
    show(longer!)
    const proof = await logOf(other!, [realKey]).proof(birds.index)
    const { change } = liar
    liar.change = async (path, answer) =>
      versionLogPath.test(path) ? { ...JSON.parse(answer.toString()), proof } : change(path, answer)
    expect(await verify(person)).toMatchObject(refused('does not continue'))
    expect(knownOf(person).size).toBe(4)
  })

  test('monitor: a slot that is there twice; verify does not see it', async () => {
    const person = await returning()
    show([...leaves, leafOf(another({ public: 'e'.repeat(64) as never }))])
    expect(await verify(person)).toMatchObject({ code: 0 })
    for (const _ of [1, 2])
      expect(await monitor(person)).toMatchObject({
        code: 1,
        out: `${liar.url}: Entries ${birds.index} and 4 of the log have one slot: the registry has said two things about one change of a collection.\n`,
      })
  })

  test('a later statement at a slot of its own has no key that leads to the end', async () => {
    const later: VersionInLog = (await ada.get('/collections/ada/birds/versions/v1.0.1/log')).json
    const text = statementText({ ...parseStatement(later.statement), prev: null })
    const forged = leafOf(text, later)
    const elsewhere = Uint8Array.from([...slotOf(salt), ...forged.subarray(32)])
    const person = await returning()
    const more = { statement: text, salt: base64Of(salt) }
    for (const [leaf, key, words] of [
      [elsewhere, base64Of(salt), 'does not lead to the end of its chain'],
      [elsewhere, later.key, 'is not in the log'],
    ] as const) {
      const grown = [...leaves, leaf]
      const { links, proof } = await logOf(grown, [realKey]).proven(later, leaves.length)
      show(grown, { more: { ...more, key, links, proof } })
      expect(await person.ulmus('.', 'verify', 'ada/birds@v1.0.1')).toMatchObject(refused(words))
    }
    // At the slot of the other one it is proven, and everybody sees two leaves with one slot.
    show([...leaves, forged])
    expect(await monitor(reader())).toMatchObject({ code: 1, out: expect.stringContaining('have one slot') })
  })

  test('monitor: statements that are hidden, changed or made up, and entries that are not there', async () => {
    const person = await returning()
    const statements = '/api/collections/ada/birds/log?after=0'
    const lie = async (change: (body: never[]) => unknown, path = statements) => {
      liar.change = (asked, answer) =>
        asked.startsWith(path) ? (change(JSON.parse(answer.toString())) as object) : undefined
      return monitor(person)
    }
    const found = (words: string) => ({ code: 1, out: expect.stringContaining(`ada/birds: ${words}`) })
    expect(await lie(() => [])).toMatchObject(found('The registry does not show statement 1, entry'))
    expect(await lie(([, second]) => [second])).toMatchObject(found('Statement 1 is missing.'))
    const firstOnly = (change: object) => (body: { seq: number }[]) =>
      body.filter(({ seq }) => seq === 1).map((one) => ({ ...one, ...change }))
    const pages = statements.replace('0', '')
    expect(await lie(firstOnly({}), pages)).toMatchObject(
      found(`The registry does not show statement 2, entry ${leaves.length - 1} of the log.`),
    )
    const next = base64Of(salt)
    expect(await lie(firstOnly({ next }), pages)).toMatchObject(
      refused('does not lead to the end of its chain'),
    )
    const shortened = ([first, second]: object[]) => [first, { ...second, erased: true, next }]
    expect(await lie(shortened)).toMatchObject(refused('does not lead to the end of its chain'))
    const text = another({ public: 'd'.repeat(64) as never })
    const changed = ([first, ...more]: object[]) => [{ ...first, statement: text }, ...more]
    expect(await lie(changed)).toMatchObject(found('Statement 1 is not the one in the log.'))
    expect((await lie(changed)).out).toContain('lists v1.0.0 with another digest than the log has')
    const versions = '/api/collections/ada/birds/versions?'
    expect(await lie((body: object[]) => body.slice(1), versions)).toMatchObject(
      found('The log has v1.0.1, which the registry does not list.'),
    )
    const [digest, createdAt] = [`public:${'c'.repeat(64)}`, '2020-01-01T00:00:00.000Z']
    const made = ([first, ...more]: object[]) => [{ ...first, semver: 'v1.0.2', createdAt }, first, ...more]
    expect(await lie(made, versions)).toMatchObject(found('The registry lists v1.0.2, about which'))
    const other = (body: object[]) => body.map((one) => ({ ...one, hash: digest, publicHash: digest }))
    expect(await lie(other, versions)).toMatchObject(found('The registry lists v1.0.1 with another digest'))
    liar.change = (path, answer) => {
      if (!path.startsWith('/log/tile/entries/')) return undefined
      answer[70]! ^= 1
      return Uint8Array.from(answer)
    }
    expect(await monitor(reader())).toMatchObject(refused('not those of its signed checkpoint'))
    liar.honest()
    expect(await monitor(person)).toMatchObject({ code: 0 })
  })

  test('monitor: a statement that was never at an entry of its own', async () => {
    // Others are shown the entry of the slot; the monitor a place between two entries, which together hold another statement.
    const lie = leafOf(another({ public: 'e'.repeat(64) as never }))
    const [real, place] = [leaves[birds.index]!, leaves.length + 0.5]
    const between = [
      Uint8Array.from([...salt, ...real.subarray(0, 32)]),
      Uint8Array.from([...real.subarray(32), ...salt]),
    ]
    const listed: LogStatement[] = (await ada.get('/collections/ada/birds/log')).json
    const second = listed[1] as Exclude<LogStatement, { erased: true }>
    const prev = hexOf(leafHashOf(lie))
    const text = statementText({ ...parseStatement(second.statement), prev })
    const shown = [...leaves, ...between]
    shown[birds.index] = lie
    shown[second.index] = leafOf(text, { ...second, links: [listed[0] as OpenedLeaf] })
    show(shown)
    const { change } = liar
    const statements = [
      { ...listed[0], index: place },
      { ...second, statement: text, salt: base64Of(salt) },
    ]
    liar.change = (path, answer) =>
      path === '/api/collections/ada/birds/log?after=0' ? statements : change(path, answer)
    expect(await monitor(reader())).toMatchObject({
      code: 1,
      out: `ada/birds: Entry ${place} of the log is not about statement 1.\n`,
    })
  })

  test('answers that are larger than any of a log', async () => {
    const person = reader()
    for (const path of ['/log/checkpoint', '/log/tile/']) {
      liar.change = (asked) => (asked.startsWith(path) ? new Uint8Array(2 ** 20 + 1) : undefined)
      expect(await monitor(person)).toMatchObject(refused('The response exceeds the maximum size.'))
    }
  })

  test('a damaged known_logs is not taken for an empty one', async () => {
    const person = await returning()
    const file = join(person.home, '.config/ulmus/known_logs')
    const known = JSON.parse(readFileSync(file, 'utf8'))
    const { collections, ...one } = known[liar.url]
    const other = { ...one, collections: { ...collections, 'ada/birds': 1 } }
    for (const damaged of [
      '',
      '[]',
      'null',
      ...[null, 1, { ...one, collections: null }, other].map((entry) =>
        JSON.stringify({ ...known, [liar.url]: entry }),
      ),
    ]) {
      writeFileSync(file, damaged)
      expect(await verify(person)).toMatchObject(refused('known_logs is damaged'))
      expect(readFileSync(file, 'utf8')).toBe(damaged)
    }
  })

  test('a new key is taken if a known one has signed it, and no other', async () => {
    const person = await returning()
    show(leaves, { signers: [nextKey] })
    expect(await verify(person)).toMatchObject(refused('No key that you trust has signed'))
    const [first] = facts.keys
    const text = statementText({
      ...parseStatement(first!.statement),
      ...{ name: vkeyOf(nextKey), collection: 'another', prev: null },
    })
    const grown = [...leaves, leafOf(text, first!)]
    const added = {
      ...first!,
      vkey: vkeyOf(nextKey),
      index: 4,
      statement: text,
      salt: base64Of(salt),
    }
    const named = { ...facts, keys: [first, added] }
    const lying = { ...facts, keys: [first, { ...added, vkey: vkeyOf(strange) }] }
    show(grown, { signers: [realKey, nextKey], named: lying })
    expect(await verify(person)).toMatchObject(refused('does not name the key'))
    show(leaves.concat(leaves[1]!), { signers: [realKey], named })
    expect(await verify(person)).toMatchObject(refused('is not in the log'))
    show(grown, { signers: [realKey, nextKey], named })
    const taken = await verify(person)
    expect(taken).toMatchObject({ code: 0, said: expect.stringContaining('A new key of the log') })
    const until = '2026-01-01T00:00:00.000Z'
    const former = { ...named, keys: [{ ...first!, until }, added] }
    show([...grown, leaves[0]!], { signers: [nextKey], named: former })
    expect(await verify(person)).toMatchObject({ code: 0 })
    expect(knownOf(person).keys).toEqual([vkeyOf(nextKey)])
    show([...grown, leaves[0]!], { signers: [realKey], named })
    expect(await verify(person)).toMatchObject(refused('No key that you trust has signed'))
    show([...grown, leaves[0]!], {
      signers: [seeded(1, 'other.example/log/1')],
      named: { ...named, origin: 'other.example/log/1' },
    })
    expect(await verify(person)).toMatchObject(
      refused('is other.example/log/1, and was registry.example/log/1'),
    )
  })

  test('a policy demands witnesses and keys', async () => {
    const witness = signerOf('mirror.example/w', 'cosignature', new Uint8Array(32).fill(7))
    const person = reader()
    const policy = (text: string) => {
      writeFileSync(join(person.home, 'policy'), text)
      return verify(person, '--policy', 'policy')
    }
    const demanding = `log ${vkeyOf(realKey)}\nwitness w ${vkeyOf(witness)}\nquorum w\n`
    const early = await policy(demanding)
    expect(early).toMatchObject(refused('Too few of the witnesses'))
    // To forget the log would not make a witness sign.
    expect(early.said).not.toContain('ulmus trust')
    expect(early.said).toContain('try again')
    show(leaves, { signers: [realKey, witness] })
    expect(await policy(demanding)).toMatchObject({ code: 0 })
    expect(await policy(`log ${vkeyOf(strange)}\nquorum none\n`)).toMatchObject(
      refused('No key that you trust has signed'),
    )
    const foreign = seeded(9, 'other.example/log/1')
    const two = `log ${vkeyOf(realKey)}\nlog ${vkeyOf(foreign)}\nquorum none\n`
    const forged = logOf(leaves, [realKey])
    const text = splitNote(await forged.checkpoint()).text
    liar.change = (path) => (path === '/log/checkpoint' ? signNote(text, [foreign]) : undefined)
    expect(await policy(two)).toMatchObject(refused('No key that you trust has signed'))
    liar.honest()
    expect(await policy(two)).toMatchObject({ code: 0 })
    expect(await policy('quorum\n')).toMatchObject(refused('Line 1 of the policy'))
  })

  test('trust says what differs, and forgets', async () => {
    const person = await returning()
    await monitor(person)
    show(leaves.slice(0, 3), {
      signers: [nextKey],
      named: { ...facts, keys: [{ ...facts.keys[0], vkey: vkeyOf(nextKey) }] },
    })
    expect(await person.ulmus('.', 'trust', liar.url)).toMatchObject(refused('Confirm with --yes', 2))
    const ended = await person.ulmus('.', 'trust', liar.url, '--yes')
    expect(ended).toMatchObject({ code: 0, said: expect.stringContaining('had 4 before') })
    expect(ended.said).toContain(`The key ${vkeyOf(nextKey)} is new.`)
    expect(await person.ulmus('.', 'trust', liar.url, '--yes')).toMatchObject(
      refused('Nothing is remembered'),
    )
    expect(await verify(person)).toMatchObject({ code: 0, said: expect.stringContaining('is remembered') })
  })

  test('trust sends no key, and needs none when ULMUS_TOKEN is for another registry', async () => {
    const known = join('.config/ulmus', 'known_logs')
    const remembered = readFileSync(join((await returning()).home, known), 'utf8')
    const elsewhere = openPerson('http://127.0.0.1:9', adaKey)
    people.push(elsewhere)
    mkdirSync(join(elsewhere.home, '.config/ulmus'), { recursive: true })
    writeFileSync(join(elsewhere.home, known), remembered)
    liar.withKey.length = 0
    expect(
      await elsewhere.ulmus('.', 'trust', liar.url, '--yes', '--host', 'http://127.0.0.1:9'),
    ).toMatchObject(refused('name different registries', 2))
    expect(await elsewhere.ulmus('.', 'trust', liar.url, '--yes')).toMatchObject({
      code: 0,
      said: expect.stringContaining('Nothing differs.'),
    })
    expect(await elsewhere.ulmus('.', 'open', `${liar.url}/ada/birds`)).toMatchObject({
      code: 0,
      out: `${liar.url}/ada/birds\n`,
    })
    expect(await elsewhere.ulmus('.', 'show', `${liar.url}/ada/birds`)).toMatchObject(
      refused('ULMUS_TOKEN is set, but not for'),
    )
    expect(liar.withKey).toEqual([])
  })

  test('a member who names the public digest hears that it is of the other view', async () => {
    const { publicHash } = (await ada.get('/collections/ada/birds/versions/v1.0.0')).json
    expect(await verify(reader(adaKey), '--digest', publicHash)).toMatchObject(
      refused('You named a digest of the public view, and members read the full one. Verify signed out.'),
    )
    expect(await verify(reader(), '--digest', publicHash)).toMatchObject({ code: 0 })
  })

  test('trust prints the keys of a log with another name', async () => {
    const person = await returning()
    const renamed = seeded(1, 'registry.example/log/2')
    const named = { origin: renamed.name, keys: [{ ...facts.keys[0], vkey: vkeyOf(renamed) }] }
    show(leaves, { signers: [renamed], named: { ...facts, ...named } })
    const { said } = await person.ulmus('.', 'trust', liar.url)
    expect(said).toContain('The log is registry.example/log/2, and was registry.example/log/1 before.')
    expect(said).toContain(`The key ${vkeyOf(renamed)} is new.`)
  })

  test('monitor reports a collection that is gone, and reads the others', async () => {
    const person = reader()
    expect(await person.ulmus('.', 'log', 'monitor', 'ada/none', 'ada/birds')).toMatchObject({
      code: 1,
      out: 'ada/none: There is no such collection, or you cannot see it. If you deleted it, leave it out.\n',
      said: expect.stringContaining('ada/birds: 2 statements.'),
    })
  })

  test('a slow command does not overwrite what a faster one has seen', async () => {
    const person = await returning()
    const grown = [...leaves, new Uint8Array(leafBytes), new Uint8Array(leafBytes)]
    show(grown.slice(0, 5))
    const { change } = liar
    liar.change = async (path, answer) => {
      const slow = await change(path, answer)
      if (!versionLogPath.test(path)) return slow
      show(grown)
      expect(await verify(person)).toMatchObject({ code: 0 })
      return slow
    }
    expect(await verify(person)).toMatchObject({ code: 0 })
    expect(knownOf(person).size).toBe(6)
  })

  test('a renamed collection is known by both names', async () => {
    const person = reader()
    expect(await person.ulmus('.', 'clone', 'ada/fish')).toMatchObject({ code: 0 })
    const state = join(person.home, 'fish/.ulmus/folder.json')
    const { id } = JSON.parse(readFileSync(state, 'utf8'))
    await expectStatus(ada.patch('/collections/ada/fish', { slug: 'cod' }), 200)
    // A folder follows its collection to a new name, and no other collection.
    const other = JSON.stringify({ ...JSON.parse(readFileSync(state, 'utf8')), id: realKey.name })
    const pulled = await person.ulmus('fish', 'pull')
    expect(pulled).toMatchObject({ code: 0, said: expect.stringContaining('ada/fish is now ada/cod.') })
    expect(JSON.parse(readFileSync(state, 'utf8'))).toMatchObject({ collection: 'ada/cod', id })
    expect((await person.ulmus('fish', 'pull')).said).toContain('Up to date')
    writeFileSync(state, other)
    expect(await person.ulmus('fish', 'pull')).toMatchObject(refused('ada/fish is now another collection'))
    await expect.poll(async () => (await ada.get('/log')).json.size).toBe(5)
    for (const name of ['ada/fish', 'ada/cod'])
      expect(await person.ulmus('.', 'verify', `${name}@v1.0.0`)).toMatchObject({ code: 0 })
    expect(await person.ulmus('.', 'log', 'monitor', 'ada/cod')).toMatchObject({ code: 0, out: '' })
    expect((await person.ulmus('.', 'log', 'show', 'ada/cod')).out).toContain('named')
  })

  test('processes at the same time lose nothing that they have seen', async () => {
    const person = reader()
    const program = fileURLToPath(new URL('../../start.js', import.meta.url))
    const hosts = [liar.url, server.url, liar.url, server.url]
    const env = { ...process.env, HOME: person.home, XDG_CONFIG_HOME: join(person.home, '.config') }
    const codes = hosts.map(async (host) => {
      const child = spawn(process.execPath, [program, 'verify', 'ada/birds@v1.0.0', '--host', host], { env })
      return (await once(child, 'close'))[0]
    })
    expect(await Promise.all(codes)).toEqual([0, 0, 0, 0])
    const known = JSON.parse(readFileSync(join(person.home, '.config/ulmus/known_logs'), 'utf8'))
    expect(Object.keys(known).sort()).toEqual([liar.url, server.url].sort())
    expect(readdirSync(join(person.home, '.config/ulmus'))).toEqual(['known_logs'])
  })
})
