/** Permissions of every page and form, kind of caller and kind of collection, compared with the table beside this file. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Place, places } from '../routes/permissions.table.ts'
import { type PostingButton, postingButtonsIn } from '../testing/crawl.ts'
import { currentVersion, type Guild, setGuild, withdrawn } from '../testing/guild.ts'
import { duplicateIdsIn } from '../testing/html.ts'
import { pageRequests, prepared, requestOfPage } from '../testing/page-requests.ts'
import { routesOf } from '../testing/routes.ts'
import { comparableParts } from '../testing/test-client.ts'
import { inSite } from './permissions.site-table.ts'
import { callers, inCollection, without } from './permissions.table.ts'
import { ofWithdrawn } from './permissions.withdrawn-table.ts'

const outsiders = ['anon', 'ended', 'str', 'oper', 'str-admin', 'there', 'unknown']

/** Irreversible actions: the guild is renewed before each caller. */
const undoing = ['/:slug/settings (delete)', '/sessions (all others)']
/** Values that differ between buttons of one kind: an id, a property to move. */
const kindsOfValues = [/^[0-9a-f]{8}-[0-9a-f-]{27}$/, /^(up|down)\.[pn]\d+$/]

/** Timeout of a row, which takes seconds on a busy machine. Milliseconds. */
const timeout = 120_000

describe.each(anyDatabase)('who sees and does what on pages, on $name', { timeout }, (database) => {
  let guild: Guild
  let routes: ReadonlySet<string>

  beforeAll(async () => {
    const started = await routesOf(() => setGuild(database))
    guild = started.made
    routes = started.routes
  })
  afterAll(() => guild.end())

  /** @param entry of the table, such as `POST /new (taken)` */
  async function answerOf(entry: string, caller: string, place: Place, version = currentVersion) {
    const at = { home: 'guild', owner: 'guild', place, version }
    const { method, path, options } = requestOfPage(entry, at, await prepared[entry]?.(guild))
    const answer = await guild.client(caller, place).request(method, path, options)
    expect(answer.status, `${caller}: ${method} ${path}: ${answer.text}`).toBeLessThan(500)
    return answer
  }

  /** The observed row in the format of the table. */
  async function row(entry: string, place: Place, version?: string): Promise<string> {
    const found: string[] = []
    for (const caller of callers) {
      if (undoing.some((end) => entry.endsWith(end))) await guild.renew()
      const { status, headers } = await answerOf(entry, caller, place, version)
      found.push(headers.location?.startsWith('/auth/login') ? 'login' : `${status}`)
    }
    return found
      .map((word) => word.padEnd(6))
      .join(' ')
      .trim()
  }

  const entriesOf = (rows: Readonly<Record<string, { asked: readonly string[] }>>) =>
    Object.values(rows).flatMap((one) => one.asked)

  test('no page and no form is without its row, and no row without its page', () => {
    const entries = [...entriesOf(inCollection), ...entriesOf(inSite)]
    expect(new Set(entries).size).toBe(entries.length)
    const known = new Set(entries.map((entry) => entry.split(' ', 2).join(' ')))
    // Omits the pattern that separates accounts from other paths.
    const named = [...routes].map((route) => route.replace(/\(\^.*\.\+\)/, ''))
    const isPage = (route: string) => !route.includes(' /api/') && !without.some((one) => one.test(route))
    expect([...known].sort()).toEqual(named.filter(isPage).sort())
    for (const one of without) expect([one, named.some((route) => one.test(route))]).toEqual([one, true])
    const ofVersions = named.filter((route) => isPage(route) && /:version|:pair|withdraw|restore/.test(route))
    const ofWithdrawnOnes = entriesOf(ofWithdrawn).map((entry) => entry.split(' ', 2).join(' '))
    expect([...new Set(ofWithdrawnOnes)].sort()).toEqual(ofVersions.sort())
  })

  test('a key of a trusted publisher opens no page', async () => {
    for (const entry of [...entriesOf(inCollection), ...entriesOf(inSite)])
      for (const place of ['public', 'private'] as const)
        expect([entry, (await answerOf(entry, 'job', place)).status]).toEqual([entry, 403])
  })

  test('every button of every page has its row, and ids are unique', async () => {
    const entries = [...entriesOf(inCollection), ...entriesOf(inSite)]
    const routeOf = (entry: string) => entry.split(' ', 2).join(' ')
    const at = { home: 'guild', owner: 'guild', place: 'private', version: currentVersion }
    const posted: [string, Readonly<Record<string, string>>][] = []
    for (const entry of entries)
      if (entry.startsWith('POST '))
        posted.push([
          routeOf(entry),
          (await prepared[entry]?.(guild))?.form ?? pageRequests[entry]!(at).form!,
        ])
    const isOf = ({ name, value, fields }: PostingButton, form: Readonly<Record<string, string>>) => {
      if (name === undefined) return Object.keys(form).every((field) => fields.includes(field))
      const isLike = kindsOfValues.some((kind) => kind.test(value!) && kind.test(form[name] ?? ''))
      return name in form && (form[name] === value || isLike)
    }
    await guild.server.signIn('own')
    const seen = new Set<string>()
    const missing = new Set<string>()
    const twice = new Set<string>()
    const looked = [
      ...entries.map((entry) => ({ entry, version: currentVersion })),
      ...entriesOf(ofWithdrawn).map((entry) => ({ entry, version: withdrawn })),
    ]
    for (const { entry, version } of looked.filter((one) => one.entry.startsWith('GET ')))
      for (const caller of ['own', 'oper']) {
        const { text } = await answerOf(entry, caller, 'private', version)
        for (const id of duplicateIdsIn(text)) twice.add(`${entry}: ${id}`)
        for (const button of postingButtonsIn(text)) {
          const action = button.action?.startsWith('#') ? undefined : button.action
          const route = `POST ${action ?? routeOf(entry).slice('GET '.length)}`
          if (without.some((one) => one.test(route))) continue
          seen.add(route)
          if (!posted.some(([other, form]) => other === route && isOf(button, form)))
            missing.add(`${route} ${button.name}=${button.value}`)
        }
      }
    expect([...missing]).toEqual([])
    expect([...twice]).toEqual([])
    // No job of the guild failed.
    seen.add('POST /admin/state')
    // The latest version is not published again.
    seen.add('POST /:owner/:slug/restore')
    expect([...new Set(posted.map(([route]) => route))].filter((route) => !seen.has(route))).toEqual([])
  })

  test.each(Object.entries(inCollection))('in a collection: %s', async (_, { asked: entries, rows }) => {
    for (const entry of entries)
      for (const place of places)
        expect([entry, place, await row(entry, place)]).toEqual([entry, place, rows[place]])
  })

  test.each(Object.entries(ofWithdrawn))(
    'of a withdrawn version: %s',
    async (_, { asked: entries, rows }) => {
      for (const entry of entries)
        for (const place of places)
          expect([entry, place, await row(entry, place, withdrawn)]).toEqual([entry, place, rows[place]])
    },
  )

  test.each(Object.entries(inSite))('%s', async (_, { asked: entries, row: expected }) => {
    for (const entry of entries) expect([entry, await row(entry, 'private')]).toEqual([entry, expected])
  })

  test('a key that is none any more is none, whatever is asked for', async () => {
    for (const entry of [...entriesOf(inCollection), ...entriesOf(inSite)])
      for (const caller of ['malformed', 'expired', 'revoked'])
        expect([entry, caller, (await answerOf(entry, caller, 'public')).status]).toEqual([
          entry,
          caller,
          401,
        ])
  })

  test('a refusal for the credential names the accepted ones', async () => {
    for (const [entry, caller] of [
      ['POST /new (taken)', 'anon'],
      ['GET /explore', 'unknown'],
    ] as const) {
      const { status, headers } = await answerOf(entry, caller, 'public')
      expect([entry, status, headers['www-authenticate']]).toEqual([entry, 401, 'Bearer'])
    }
  })

  test('hidden and absent collections get the same answers and headers', async () => {
    for (const entry of entriesOf(inCollection))
      for (const caller of outsiders)
        for (const version of entriesOf(ofWithdrawn).includes(entry)
          ? [currentVersion, withdrawn]
          : [currentVersion]) {
          const responseAt = async (place: Place) =>
            comparableParts(await answerOf(entry, caller, place, version), `guild/${place}`)
          expect([entry, caller, await responseAt('private')]).toEqual([
            entry,
            caller,
            await responseAt('absent'),
          ])
        }
  })
})
