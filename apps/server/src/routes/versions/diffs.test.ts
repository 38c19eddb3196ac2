/** Differences as a stream: the same records as in the pages, in the same order, in both views. */
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushesOn, put, type Stage, setStage } from '../../testing/stage.ts'
import type { TestClient } from '../../testing/test-client.ts'

describe.each(anyDatabase)('differences as NDJSON on $name', (database) => {
  let stage: Stage
  beforeAll(async () => {
    stage = await setStage(database, { rateLimits: null })
  })
  afterAll(() => stage.end())
  const { newPath } = pushesOn(() => stage)

  async function pagesOf(who: TestClient, path: string, query: string): Promise<unknown[]> {
    const found: { id: string; type: string }[] = []
    let cursor: string | null = ''
    while (cursor !== null) {
      const { json } = await who.get(
        `${path}/versions/v1.1.0/diff?limit=7&${query}${cursor && `&cursor=${cursor}`}`,
      )
      for (const change of ['added', 'updated', 'removed'])
        found.push(...json[change].map((one: object) => ({ change, ...one })))
      cursor = json.pagination.nextCursor
    }
    const key = ({ type, id }: { type: string; id: string }) => `${type}\0${id}`
    return found.sort((a, b) => (key(a) < key(b) ? -1 : 1))
  }
  const linesOf = async (who: TestClient, path: string, query: string) =>
    (await who.get(`${path}/versions/v1.1.0/diff.ndjson?${query}`)).text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as unknown)

  test('has what the pages have, by type and id, also of more than are read at once', async () => {
    const path = await newPath()
    const id = (n: number) => String(n).padStart(4, '0')
    const schemas = { A: { properties: { n: {}, secret: { private: true } } }, B: {} }
    const first = Array.from({ length: 300 }, (_, n) => put(id(n), { n, secret: n }))
    await stage.push(path, { opening: { schemas }, puts: first })
    await stage.push(path, {
      base: 'v1.0.0',
      puts: [
        ...Array.from({ length: 250 }, (_, n) => put(id(n), { n: n + (n % 2), secret: -n })),
        ...Array.from({ length: 20 }, (_, n) => put(id(1000 + n), { n }, { private: n === 3 })),
        { id: 'b', type: 'B', data: { text: 'x'.repeat(20_000) } },
      ],
      deletes: Array.from({ length: 30 }, (_, n) => ({ id: id(270 + n), type: 'A' })),
    })
    for (const who of [stage.ada, stage.anyone])
      for (const query of ['from=v1.0.0', 'from=v1.0.0&type=B', 'from=v1.0.0&change=removed', 'from=v1.1.0'])
        expect(await linesOf(who, path, query)).toEqual(await pagesOf(who, path, query))
    expect((await linesOf(stage.ada, path, 'from=v1.0.0')).length).toBe(249 + 20 + 1 + 30)
    expect((await linesOf(stage.anyone, path, 'from=v1.0.0')).length).toBe(125 + 19 + 1 + 30)
  })

  test('is refused for versions that are not there, and tagged by both versions', async () => {
    const path = await newPath()
    await stage.push(path, { opening: { schemas: { A: {} } }, puts: [put('1')] })
    await stage.push(path, { base: 'v1.0.0', puts: [put('2')] })
    const at = `${path}/versions/v1.1.0/diff.ndjson`
    expect((await stage.anyone.get(`${at}?from=v9.0.0`)).json.code).toBe('version_not_found')
    const tags = await Promise.all(
      ['v1.0.0', 'v1.1.0'].map(async (from) => (await stage.anyone.get(`${at}?from=${from}`)).headers.etag),
    )
    expect(new Set(tags).size).toBe(2)
    // By default from the version before.
    const [own, given] = ['', '?from=v1.0.0'].map(async (query) => (await stage.anyone.get(at + query)).text)
    expect(await own).toBe(await given)
  })
})
