/** Lines of delta pushes over HTTP: http-api §9, content-model §2, §4. */
import { zstdCompressSync } from 'node:zlib'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pushesOn, put, type Stage, setStage } from '../../testing/stage.ts'
import { ndjson, type TestClient } from '../../testing/test-client.ts'

const strict = { properties: { n: { type: 'integer' } } }

describe.each(anyDatabase)('lines of pushes on $name', (database) => {
  let stage: Stage
  let ada: TestClient

  beforeAll(async () => {
    stage = await setStage(database)
    ada = stage.ada
  })
  afterAll(() => stage.end())
  const { newPath, openedWith, recordsOf, started, state } = pushesOn(() => stage)

  describe('POST …/pushes/:id/records', () => {
    test('{received}, any number, any order; of the same (type, id) the last one counts', async () => {
      const path = await newPath()
      const session = await stage.opened(path, { opening: { schemas: { A: {} } } })
      expect((await ada.lines(`${session}/records`, [put('b', 1), put('a', 1), put('b', 2)])).json).toEqual({
        received: 3,
      })
      expect((await ada.lines(`${session}/deletes`, [{ type: 'A', id: 'a' }])).json).toEqual({ received: 1 })
      expect((await ada.lines(`${session}/records`, [put('c', 1)])).json).toEqual({ received: 1 })
      expect(
        (
          await ada.lines(`${session}/deletes`, [
            { type: 'A', id: 'c' },
            { type: 'A', id: 'never there' },
          ])
        ).json,
      ).toEqual({ received: 2 })
      expect((await ada.lines(`${session}/records`, [put('c', 3)])).json).toEqual({ received: 1 })
      expect((await ada.lines(`${session}/records`, [])).json).toEqual({ received: 0 })
      const { json: result } = await ada.post(`${session}/commit`)
      expect(result.changes).toEqual({ added: 2, updated: 0, removed: 0 })
      expect((await recordsOf(path)).map(({ id, data }) => [id, data])).toEqual([
        ['b', 2],
        ['c', 3],
      ])
    })

    test('lines count from 1, blank ones (skipped) included; a BOM at the start is skipped; CRLF is a line end', async () => {
      const session = await openedWith({ A: {} })
      const text = `\ufeff${JSON.stringify(put('1'))}\r\n\r\n \t\n${JSON.stringify(put('2'))}\nbroken\n\n`
      const refused = await ada.lines(`${session}/records`, [text])
      expect(refused.status).toBe(422)
      expect(refused.json).toMatchObject({
        code: 'invalid_records',
        totalErrors: 1,
        validationErrors: [{ line: 5, id: null, type: null, code: 'syntax' }],
      })
      expect((await ada.lines(`${session}/records`, [text.replace('broken', '')])).json).toEqual({
        received: 2,
      })
      const inside = await ada.lines(`${session}/records`, [put('1'), `\ufeff${JSON.stringify(put('2'))}`])
      expect(inside.json.validationErrors).toMatchObject([{ line: 2, code: 'syntax' }])
    })

    const bad = [
      ['nonsense', 'syntax'],
      ['{"id":"1","type":"A","data":{"a":1,"a":2}}', 'duplicate_key'],
      ['{"id":"1","type":"A","data":{"a":1,"\\u0061":2}}', 'duplicate_key'],
      ['{"id":"1","type":"A","data":12345678901234567890}', 'unsafe_integer'],
      ['{"id":"1","type":"A","data":1e400}', 'number_out_of_range'],
      ['{"id":"1","type":"A","data":"\\ud800"}', 'lone_surrogate'],
      [`{"id":"1","type":"A","data":${'['.repeat(1e5)}${']'.repeat(1e5)}}`, 'too_deep'],
      [`{"id":"1","type":"A","data":${'['.repeat(65)}${']'.repeat(65)}}`, 'too_deep'],
      ['[]', 'bad_envelope'],
      ['null', 'bad_envelope'],
      ['{"type":"A","data":1}', 'bad_id'],
      ['{"id":"","type":"A","data":1}', 'bad_id'],
      ['{"id":1,"type":"A","data":1}', 'bad_id'],
      [`{"id":"${'x'.repeat(1_025)}","type":"A","data":1}`, 'bad_id'],
      ['{"id":"a\\u001b[2J","type":"A","data":1}', 'bad_id'],
      ['{"id":"a\u009b","type":"A","data":1}', 'bad_id'],
      ['{"id":"a\u202eb","type":"A","data":1}', 'bad_id'],
      ['{"id":"1","data":1}', 'bad_type'],
      ['{"id":"1","type":".A","data":1}', 'bad_type'],
      ['{"id":"1","type":"A/B","data":1}', 'bad_type'],
      ['{"id":"1","type":"A\\u0000","data":1}', 'bad_type'],
      ['{"id":"1","type":"A"}', 'bad_envelope'],
      ['{"id":"1","type":"A","data":1,"private":"true"}', 'bad_envelope'],
      [`{"id":"1","type":"A","data":"${'x'.repeat(8_388_608)}"}`, 'record_too_large'],
      ['{"id":"1","type":"B","data":1}', 'unknown_type'],
      ['{"id":"1","type":"__proto__","data":1}', 'unknown_type'],
      ['{"id":"1","type":"P","data":{"n":"x"}}', 'schema_violation'],
      ['{"id":"1","type":"P","data":{"m":1}}', 'unknown_fields'],
      ['{"id":"1","type":"P","data":{"__proto__":1}}', 'unknown_fields'],
    ] as const

    test('validationErrors: [{line, id, type, code, errors?}]; codes of content-model §2, unknown_type, schema_violation, unknown_fields', async () => {
      const session = await openedWith({ A: {}, P: strict })
      const refused = await ada.lines(
        `${session}/records`,
        bad.map(([line]) => line),
      )
      expect([refused.status, refused.json.code, refused.json.totalErrors]).toEqual([
        422,
        'invalid_records',
        bad.length,
      ])
      const { validationErrors } = refused.json
      expect(validationErrors.map(({ line, code }: { line: number; code: string }) => [line, code])).toEqual(
        bad.map(([, code], index) => [index + 1, code]),
      )
      const ofSchema = validationErrors.find(({ code }: { code: string }) => code === 'schema_violation')
      expect(ofSchema).toMatchObject({
        id: '1',
        type: 'P',
        errors: [{ path: '/n', message: expect.any(String) }],
      })
      const onlyData = await ada.lines(`${session}/records`, [{ id: '1', type: 'P', data: { n: 'x' } }])
      expect([onlyData.status, onlyData.json.code]).toEqual([422, 'schema_violation'])
    })

    test('bytes that are not UTF-8 are `syntax`', async () => {
      const session = await openedWith({ A: {} })
      const body = Buffer.concat([
        Buffer.from('{"id":"1","type":"A","data":"'),
        Buffer.from([0xff]),
        Buffer.from('"}'),
      ])
      const { json: refused } = await ada.request('POST', `${session}/records`, { body, headers: ndjson })
      expect(refused.validationErrors).toMatchObject([{ line: 1, code: 'syntax' }])
    })

    test('a 10,000-line batch whose 7,000th line is broken: named by number, none stored', async () => {
      const path = await newPath()
      const session = await stage.opened(path, { opening: { schemas: { A: {} } } })
      const lines: unknown[] = Array.from({ length: 10_000 }, (_, n) => put(`${n}`))
      lines[6_999] = '{"id":"6999","type":"A","data":{"a":1,}}'
      const refused = await ada.lines(`${session}/records`, lines)
      expect([refused.status, refused.json.code, refused.json.totalErrors]).toEqual([
        422,
        'invalid_records',
        1,
      ])
      expect(refused.json.validationErrors).toEqual([
        expect.objectContaining({ line: 7_000, code: 'syntax' }),
      ])
      expect(refused.json.error).toMatch(/None of this request was stored/)
      expect((await state(session)).total_records).toBe(0)
      await ada.lines(`${session}/records`, [put('only')])
      expect((await ada.post(`${session}/commit`)).json).toMatchObject({ recordCount: 1 })
    })

    test('the first 100, and `totalErrors`', async () => {
      const session = await openedWith({ A: {} })
      const refused = await ada.lines(
        `${session}/records`,
        Array.from({ length: 250 }, () => '{'),
      )
      expect([refused.json.totalErrors, refused.json.validationErrors.length]).toEqual([250, 100])
      expect(refused.json.validationErrors.at(-1).line).toBe(100)
    })

    test('up to 10,000 lines, whose number the message names, and 128 MiB, packed or not', async () => {
      const session = await openedWith({ A: {} })
      const lines = Array.from({ length: 10_001 }, (_, n) => put(`${n}`))
      expect((await ada.lines(`${session}/records`, lines.slice(1))).json).toEqual({ received: 10_000 })
      const over = await ada.lines(`${session}/records`, lines)
      expect([over.status, over.json.code]).toEqual([413, 'too_large'])
      expect(over.json.error).toMatch(/10,?000 lines/)
      const bomb = zstdCompressSync(Buffer.alloc(128 * 1024 ** 2 + 1, 0x20))
      const heavy = await ada.request('POST', `${session}/records`, {
        body: bomb,
        headers: { ...ndjson, 'content-encoding': 'zstd' },
      })
      expect([heavy.status, heavy.json.code]).toEqual([413, 'too_large'])
      expect(heavy.json.error).toMatch(/128 MiB/)
      expect((await state(session)).total_records).toBe(10_000)
    })

    test.each(['application/json', 'text/plain', 'application/octet-stream'])(
      'a body of type %s is 415',
      async (type) => {
        const session = await openedWith({ A: {} })
        for (const kind of ['records', 'deletes']) {
          const { status, json: body } = await ada.request('POST', `${session}/${kind}`, {
            body: JSON.stringify(put('1')),
            headers: { 'content-type': type },
          })
          expect([status, body.code]).toEqual([415, 'unsupported_media_type'])
          expect(body.contentTypes).toEqual([
            'application/x-ndjson',
            'application/ndjson',
            'application/jsonl',
          ])
          expect(body.error).toContain('Send `application/x-ndjson`, ')
        }
      },
    )

    test('strip_unknown_fields removes what the schema does not list, before hashing', async () => {
      const path = await newPath()
      const data = { n: 1, m: 2, constructor: 3 }
      const opening = { schemas: { P: strict }, strip_unknown_fields: true }
      await stage.push(path, { opening, puts: [{ id: '1', type: 'P', data }] })
      expect((await recordsOf(path))[0]!.data).toEqual({ n: 1 })
      const again = await stage.opened(path, {
        base: 'v1.0.0',
        opening: { strip_unknown_fields: true },
        puts: [{ id: '1', type: 'P', data: { n: 1, other: 1 } }],
      })
      expect((await ada.post(`${again}/commit`)).json.code).toBe('no_changes')
    })

    test('deletes: bad_id, bad_type and unknown_type are refused; types that the push leaves out may still be named', async () => {
      const path = await started()
      const session = await stage.opened(path, { base: 'v1.0.0', opening: { schemas: { B: {} } } })
      const refused = await ada.lines(`${session}/deletes`, [
        { type: 'A', id: '' },
        { type: '', id: '1' },
        { type: 'C', id: '1' },
        { type: 'A', id: '1' },
      ])
      expect(
        refused.json.validationErrors.map(({ line, code }: { line: number; code: string }) => [line, code]),
      ).toEqual([
        [1, 'bad_id'],
        [2, 'bad_type'],
        [3, 'unknown_type'],
      ])
      expect((await ada.lines(`${session}/deletes`, [{ type: 'A', id: '1' }])).status).toBe(200)
    })
  })
})
