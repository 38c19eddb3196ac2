/** Size and cost of a map of as many records as the largest demo has, at the places that take the most. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stage, setStage } from '../testing/stage.ts'
import { expectStatus, testClient } from '../testing/test-client.ts'

const cities = 171_075
/** Records of a batch. */
const pushed = 10_000
/** Bytes of HTML, and seconds of the server's processor. */
const most = { bytes: 150_000, seconds: 1 }

/** Numbers from 0 to 1 that are spread evenly. */
const spread = (n: number, step: number): number => (n * step) % 1
const degrees = (value: number): number => Math.round(value * 1e5) / 1e5

/** Places all over the globe, in the same share everywhere, and in a circle. */
const city = (n: number) => {
  const [a, b] = [spread(n, 0.7548776662466927), spread(n, 0.5698402909980532)]
  return {
    name: `City ${n}`,
    lat: degrees((Math.asin(2 * a - 1) / Math.PI) * 180),
    lon: degrees(360 * b - 180),
    near_lat: degrees(48 + 9 * Math.sqrt(a) * Math.sin(2 * Math.PI * b)),
    near_lon: degrees(12 + 13 * Math.sqrt(a) * Math.cos(2 * Math.PI * b)),
  }
}

describe.each(anyDatabase)('a map of 171,075 records on $name', (database) => {
  let stage: Stage
  let at: string
  let visit: ReturnType<typeof testClient>

  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
    // Pages of visitors who are signed in are not repeated.
    visit = testClient(stage.server.url, { cookie: (await stage.server.signIn('ada')).cookie }, '')
    const { path } = await stage.newCollection()
    const number = { type: 'number' }
    const properties = {
      name: { type: 'string' },
      ...{ lat: number, lon: number, near_lat: number, near_lon: number },
    }
    const session = await stage.opened(path, { opening: { schemas: { City: { properties } } } })
    for (let from = 0; from < cities; from += pushed) {
      const lines = Array.from({ length: Math.min(pushed, cities - from) }, (_, n) => {
        return { id: `c${from + n}`, type: 'City', data: city(from + n) }
      })
      await expectStatus(stage.ada.lines(`${session}/records`, lines), 200)
    }
    await expectStatus(stage.ada.post(`${session}/commit`), 201)
    at = `${path.replace('/collections', '')}/records/City`
    while ((await stage.ada.get(`${path}/versions/latest/tables/City/statistics`)).status === 202);
  }, 240_000)
  afterAll(() => stage.end())

  test.each([
    ['everywhere', {}],
    ['in a circle', { coordinates: 'near_lat,near_lon' }],
    ['of some', { filter: 'lat gt 0' }],
  ])('%s it is small, and takes little time', async (_, query) => {
    const path = `${at}?${new URLSearchParams({ view: 'map', ...query })}`
    const first = await visit.get(path)
    expect(first.status).toBe(200)
    const before = process.cpuUsage()
    const started = performance.now()
    const { text } = await visit.get(path)
    const { user, system } = process.cpuUsage(before)
    const hexagons = text.match(/<use href="#hexagon"/g)!.length
    const figures = { bytes: Buffer.byteLength(text), seconds: (user + system) / 1e6, hexagons }
    console.info(figures, `${Math.round(performance.now() - started)} ms`)
    expect(figures.bytes).toBeLessThan(most.bytes)
    expect(figures.seconds).toBeLessThan(most.seconds)
    expect(hexagons).toBeGreaterThan(400)
  })
})
