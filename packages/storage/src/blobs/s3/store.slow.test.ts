import { randomBytes, randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  CreateMultipartUploadCommand,
  ListMultipartUploadsCommand,
  PutBucketPolicyCommand,
  PutObjectCommand,
} from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { firstGood } from '../../../../content/src/testing/measured.ts'
import { BlobMissingError, BucketUnusableError, StoreUnavailableError } from '../../errors/stores.ts'
import { isUnavailable } from '../../errors/unavailable.ts'
import { makeBucket, s3Server } from '../../testing/buckets.ts'
import { type FlakyProxy, type Mishap, startFlakyProxy } from '../../testing/flaky-proxy.ts'
import { TcpProxy } from '../../testing/tcp-proxy.ts'
import { blobStoreContract, collect } from '../blob-store.contract.ts'
import type { BlobStore } from '../blob-store.ts'
import { packName, spillName, spillsPrefix } from '../names.ts'
import { type Bucket, bucketOf, type S3Settings } from './bucket.ts'
import { abortUploads } from './start.ts'
import { listBlobs, openS3Store } from './store.ts'

const mebibyte = 1_048_576
const day = 86_400_000
/** Short, so that requests without an answer time out within the test, and long enough for a busy store. */
const patience = { connecting: 2_000, idle: 2_500 }

const fresh = () => packName(randomUUID())
const rejectionOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )
async function* pieces(bytes: Uint8Array, pieceBytes = 262_144): AsyncGenerator<Uint8Array> {
  for (let i = 0; i < bytes.length; i += pieceBytes) yield bytes.subarray(i, i + pieceBytes)
}

describe.skipIf(s3Server() === null)('on S3', () => {
  blobStoreContract('S3', async () => {
    const { settings, dispose } = await makeBucket()
    return { store: await openS3Store(settings), dispose }
  })

  describe('a store behind a network that misbehaves', () => {
    let settings: S3Settings
    let disposeBucket: () => Promise<void>
    let bucket: Bucket
    let proxy: FlakyProxy
    let store: BlobStore
    beforeAll(async () => {
      const made = await makeBucket()
      settings = made.settings
      disposeBucket = made.dispose
      bucket = bucketOf(settings)
      proxy = await startFlakyProxy(settings.endpoint!)
    })
    // Open a store per test: a client that met many failures recently retries less often.
    beforeEach(async () => {
      store = await openS3Store({ ...settings, endpoint: proxy.url, patience })
    })
    afterEach(async () => {
      proxy.misbehave(() => 'none')
      for (const name of await names()) await openedElsewhere((other) => other.remove(name))
      await abortUploads(bucket, new Date(Date.now() + day))
      await store.close()
    })
    afterAll(async () => {
      await proxy.close()
      bucket.client.destroy()
      await disposeBucket()
    })

    /** Applies the mishap to the first attempt of each request. */
    function onceEach(mishap: Mishap) {
      const met = new Set<string>()
      proxy.misbehave(({ method, url }) => {
        const what = `${method} ${url}`
        if (met.has(what)) return 'none'
        met.add(what)
        return mishap
      })
      return met
    }
    const uploads = async () => {
      const command = new ListMultipartUploadsCommand({ Bucket: bucket.name })
      return (await bucket.client.send(command)).Uploads ?? []
    }
    const names = async () => {
      const found: string[] = []
      for await (const { name } of listBlobs(bucket, 'packs/')) found.push(name)
      return found
    }

    const mishaps: [string, Mishap][] = [
      ['is dropped', 'drop'],
      ['is done, but its answer lost', 'lose answer'],
      ['is never answered', 'silence'],
      ['is answered 500', { status: 500, code: 'InternalError' }],
      ['is answered 503', { status: 503, code: 'SlowDown' }],
      ['is answered late', { delay: 200 }],
    ]
    it.each(mishaps)('does everything though each request, the first time, %s', async (_how, mishap) => {
      const met = onceEach(mishap)
      const [small, large] = [fresh(), fresh()]
      const bytes = randomBytes(18 * mebibyte)
      expect(await store.put(small, bytes.subarray(0, 1_000))).toBe(1_000)
      expect(await store.put(large, pieces(bytes))).toBe(bytes.length)
      expect(Buffer.from(await store.read(large)).equals(bytes)).toBe(true)
      const range = { start: 9 * mebibyte, length: 70_000 }
      const part = bytes.subarray(range.start, range.start + range.length)
      expect(Buffer.from(await store.read(large, range)).equals(part)).toBe(true)
      expect(await store.size(large)).toBe(bytes.length)
      const listed = new Map<string, number>()
      for await (const { name, bytes } of store.list('packs/')) listed.set(name, bytes)
      expect(listed.get(large)).toBe(bytes.length)
      await store.remove(small)
      await store.remove(large)
      expect(await names()).toEqual([])
      // If the answer to the upload's start was lost, the retry starts another upload, and the first remains.
      expect(await uploads()).toHaveLength(mishap === 'lose answer' ? 1 : 0)
      expect(met.size).toBeGreaterThan(8)
    })

    it.each<[string, Mishap]>([
      ['breaks', { cutAfter: 5 * mebibyte, end: 'close' }],
      ['falls silent', { cutAfter: 5 * mebibyte, end: 'silence' }],
      ['ends too early, in good order', { shortenTo: 5 * mebibyte }],
    ])('goes on where an answer %s', async (_how, mishap) => {
      const name = fresh()
      const bytes = randomBytes(12 * mebibyte)
      await store.put(name, bytes)
      const before = proxy.calls.length
      proxy.misbehave(({ method }) => (method === 'GET' ? mishap : 'none'))
      expect(
        Buffer.from(await store.read(name, { start: 7, length: 11 * mebibyte })).equals(
          bytes.subarray(7, 7 + 11 * mebibyte),
        ),
      ).toBe(true)
      expect(proxy.calls.length - before).toBe(3)
      expect((await collect(store.stream(name))).equals(bytes)).toBe(true)
      expect(proxy.calls.at(-1)?.range).toBe(`bytes=${10 * mebibyte}-${12 * mebibyte - 1}`)
    })

    it('never takes a part for the whole', async () => {
      const name = fresh()
      await store.put(name, Buffer.alloc(100_000, 1))
      for (const mishap of [{ shortenTo: 0 }, { cutAfter: 0, end: 'close' }] as const) {
        proxy.misbehave(() => mishap)
        expect(await rejectionOf(store.read(name))).toBeInstanceOf(StoreUnavailableError)
        expect(await rejectionOf(store.read(name, { start: 10, length: 500 }))).toBeInstanceOf(
          StoreUnavailableError,
        )
      }
    })

    it('never mixes a blob with the one that replaced it', async () => {
      const name = fresh()
      await store.put(name, Buffer.alloc(3 * mebibyte, 1))
      const before = proxy.calls.length
      proxy.misbehave(({ index }) => (index === before ? { cutAfter: mebibyte, end: 'close' } : 'none'))
      const seen = new Set<number>()
      const reading = async () => {
        for await (const chunk of store.stream(name)) {
          if (seen.size === 0)
            await openedElsewhere((other) => other.put(name, Buffer.alloc(3 * mebibyte, 2)))
          for (const value of new Set(chunk)) seen.add(value)
        }
      }
      expect(await rejectionOf(reading())).toBeInstanceOf(StoreUnavailableError)
      expect([...seen]).toEqual([1])
      await store.remove(name)
      await expect(store.read(name)).rejects.toThrow(BlobMissingError)
    })
    /** Bypasses the proxy, as another server would. */
    async function openedElsewhere(work: (other: BlobStore) => Promise<unknown>) {
      const other = await openS3Store(settings)
      await work(other)
      await other.close()
    }

    it('waits for a reader that is slower than the store is patient', async () => {
      const name = fresh()
      const bytes = randomBytes(4 * mebibyte)
      await store.put(name, bytes)
      const read: Uint8Array[] = []
      for await (const chunk of store.stream(name)) {
        if (read.length % 40 === 0) await sleep(patience.idle + 200)
        read.push(chunk)
      }
      expect(Buffer.concat(read).equals(bytes)).toBe(true)
    })

    it('lets go of connections whose streams are left', async () => {
      // Uses the default timeouts: a busy store takes longer than `patience` to answer 40 requests at once.
      const patient = await openS3Store({ ...settings, endpoint: proxy.url })
      try {
        const name = fresh()
        await patient.put(name, Buffer.alloc(10 * mebibyte))
        for (let i = 0; i < 40; i++) for await (const _chunk of patient.stream(name)) break
        await Promise.all(
          Array.from({ length: 40 }, async () => {
            const chunks = patient.stream(name)[Symbol.asyncIterator]()
            await chunks.next()
            await chunks.return?.()
          }),
        )
        await vi.waitFor(async () => expect(await proxy.connections()).toBeLessThan(12), 20_000)
      } finally {
        await patient.close()
      }
    })

    it('waits once for connections that were forgotten on the way, however many there are', async () => {
      const between = await TcpProxy.before({
        host: '127.0.0.1',
        port: Number(new URL(settings.endpoint!).port),
      })
      const there = await openS3Store({ ...settings, endpoint: `http://127.0.0.1:${between.port}`, patience })
      try {
        const waited = async () => {
          await Promise.all(Array.from({ length: 12 }, () => there.ping()))
          await between.become({ kind: 'pass' }, { forgetting: true })
          const from = performance.now()
          await there.size(fresh())
          return performance.now() - from
        }
        const most = 2 * patience.idle
        expect(await firstGood(waited, (milliseconds) => milliseconds < most)).toBeLessThan(most)
      } finally {
        await there.close()
        await between.close()
      }
    })

    it('gives up an upload of which a part is refused, and leaves nothing', async () => {
      const name = fresh()
      proxy.misbehave(({ url }) =>
        url.includes('partNumber=2') ? { status: 500, code: 'InternalError' } : 'none',
      )
      const error = await rejectionOf(store.put(name, pieces(randomBytes(40 * mebibyte))))
      expect(error).toBeInstanceOf(StoreUnavailableError)
      expect(await names()).toEqual([])
      expect(await uploads()).toEqual([])
    })

    it.each([
      ['is there', 'lose answer'],
      ['is not there', { status: 404, code: 'NoSuchUpload' }],
    ] as const)(
      'of a last request that ended who knows how, asks whether the blob %s',
      async (_what, first) => {
        const name = fresh()
        const bytes = randomBytes(12 * mebibyte)
        let tries = 0
        proxy.misbehave(({ method, url }) => {
          if (method !== 'POST' || !url.includes('uploadId=')) return 'none'
          return tries++ === 0 ? first : { status: 404, code: 'NoSuchUpload' }
        })
        if (first === 'lose answer') {
          expect(await store.put(name, pieces(bytes))).toBe(bytes.length)
          expect(tries).toBe(2)
          expect(Buffer.from(await store.read(name)).equals(bytes)).toBe(true)
        } else {
          await openedElsewhere((other) => other.put(name, Buffer.alloc(10)))
          expect(await rejectionOf(store.put(name, pieces(bytes)))).toMatchObject({ name: 'NoSuchUpload' })
          expect(await store.size(name)).toBe(10)
        }
        expect(await uploads()).toEqual([])
      },
    )

    it('reads of a source no more than a few parts ahead of the store', async () => {
      let given = 0
      async function* counted() {
        for await (const piece of pieces(Buffer.alloc(60 * mebibyte))) {
          given += piece.length
          yield piece
        }
      }
      proxy.misbehave(({ url }) => (url.includes('partNumber=') ? 'silence' : 'none'))
      expect(await rejectionOf(store.put(fresh(), counted()))).toBeInstanceOf(StoreUnavailableError)
      expect(given).toBeLessThanOrEqual(21 * mebibyte)
    })

    it('gives up an upload whose source fails late, and says why', async () => {
      async function* failing() {
        yield* pieces(Buffer.alloc(20 * mebibyte))
        throw new Error('source failed')
      }
      const name = fresh()
      await expect(store.put(name, failing())).rejects.toThrow('source failed')
      proxy.misbehave(({ method }) => (method === 'DELETE' ? 'drop' : 'none'))
      await expect(store.put(name, failing())).rejects.toThrow('source failed')
      expect(await names()).toEqual([])
      expect(await uploads()).toHaveLength(1)
    })

    it('tidies away what was left of uploads long ago, and only that', async () => {
      const begin = (Key: string) =>
        bucket.client.send(new CreateMultipartUploadCommand({ Bucket: bucket.name, Key }))
      await begin(bucket.key(fresh()))
      await begin('of-others/blob')
      await abortUploads(bucket, new Date(Date.now() - day))
      expect(await uploads()).toHaveLength(2)
      await abortUploads(bucket, new Date(Date.now() + day))
      expect((await uploads()).map(({ Key }) => Key)).toEqual(['of-others/blob'])
      await abortUploads({ ...bucket, prefix: '' }, new Date(Date.now() + day))
      expect(await uploads()).toEqual([])
    })

    it('says that it is away, soon, and works again when it is back', async () => {
      const [name, absent] = [fresh(), fresh()]
      await store.put(name, Buffer.from('kept'))
      const each = () => [
        store.put(absent, Buffer.alloc(10)),
        store.put(absent, pieces(Buffer.alloc(20 * mebibyte))),
        store.read(name),
        store.read(absent),
        store.read(name, { start: 0, length: 2 }),
        store.size(name),
        store.size(absent),
        store.remove(name),
        collect(store.stream(name)),
        store.list('')[Symbol.asyncIterator]().next(),
        store.ping(),
      ]
      const began = Date.now()
      await proxy.leave()
      for (const error of await Promise.all(each().map(rejectionOf))) {
        expect(error).toBeInstanceOf(StoreUnavailableError)
        expect(isUnavailable(error)).toBe(true)
      }
      expect(Date.now() - began).toBeLessThan(5_000)
      await proxy.comeBack()
      await store.ping()
      expect(Buffer.from(await store.read(name)).toString()).toBe('kept')
      proxy.misbehave(() => 'silence')
      for (const error of await Promise.all(each().map(rejectionOf))) expect(isUnavailable(error)).toBe(true)
      expect(Date.now() - began).toBeLessThan(15_000)
      proxy.misbehave(() => 'none')
      expect(Buffer.from(await store.read(name)).toString()).toBe('kept')
      expect(await store.size(absent)).toBeUndefined()
    })

    it('is away, rather than empty, when its bucket or its right to it is gone', async () => {
      const gone = await makeBucket()
      const orphan = await openS3Store(gone.settings)
      await gone.dispose()
      const name = fresh()
      const all = [orphan.read(name), orphan.size(name), orphan.remove(name), orphan.ping()]
      for (const error of await Promise.all(all.map(rejectionOf)))
        expect(error).toBeInstanceOf(StoreUnavailableError)
      await orphan.close()
      proxy.misbehave(() => ({ status: 403, code: 'AccessDenied' }))
      expect(await rejectionOf(store.read(name))).toBeInstanceOf(StoreUnavailableError)
      expect(await rejectionOf(store.size(name))).toBeInstanceOf(StoreUnavailableError)
    })

    it('lists page by page, and only what is its own', async () => {
      const push = randomUUID()
      const runs = Array.from({ length: 7 }, (_, i) => spillName(push, `n${i}`))
      for (const name of runs) await store.put(name, Buffer.alloc(3))
      for (const Key of [`${bucket.prefix}${spillsPrefix(push)}`, `kept/here-not/${runs[0]}`]) {
        await bucket.client.send(new PutObjectCommand({ Bucket: bucket.name, Key, Body: 'x' }))
      }
      const listed: string[] = []
      for await (const { name } of listBlobs(bucket, '', 3)) listed.push(name)
      expect(listed.sort()).toEqual(runs)
      for (const name of runs) await store.remove(name)
    })
  })

  it('starts several servers at the same time, which remove each other’s probe', async () => {
    const { settings, dispose } = await makeBucket()
    for (let round = 0; round < 10; round++) {
      const opened = await Promise.all(Array.from({ length: 6 }, () => rejectionOf(openS3Store(settings))))
      expect(opened).toEqual(Array.from({ length: 6 }, () => undefined))
    }
    await dispose()
  })

  describe('a bucket that cannot be used stops the start with a sentence', () => {
    const sentence = async (settings: S3Settings) => {
      const error = await rejectionOf(openS3Store({ ...settings, patience }))
      expect(error).toBeInstanceOf(BucketUnusableError)
      return (error as Error).message
    }
    let settings: S3Settings
    let dispose: () => Promise<void>
    beforeAll(async () => {
      ;({ settings, dispose } = await makeBucket())
    })
    afterAll(() => dispose())

    it('missing', async () => {
      expect(await sentence({ ...settings, bucket: 'nowhere-to-be-found' })).toMatch(
        /^There is no bucket nowhere-to-be-found at http:.*Create it/,
      )
    })
    it('with credentials that are not taken', async () => {
      const keys = { accessKeyId: 'unknown', secretAccessKey: 'wrong' }
      expect(await sentence({ ...settings, keys })).toContain('(InvalidAccessKeyId)')
      const { accessKeyId } = settings.keys!
      expect(await sentence({ ...settings, keys: { ...keys, accessKeyId } })).toContain(
        '(SignatureDoesNotMatch)',
      )
    })
    it('that may be read and not written', async () => {
      const { client } = bucketOf(settings)
      const Resource = `arn:aws:s3:::${settings.bucket}/*`
      const deny = { Effect: 'Deny', Principal: '*', Action: 's3:PutObject', Resource }
      const policy = (Statement: unknown[]) =>
        client.send(
          new PutBucketPolicyCommand({
            Bucket: settings.bucket,
            Policy: JSON.stringify({ Version: '2012-10-17', Statement }),
          }),
        )
      await policy([deny])
      expect(await sentence(settings)).toMatch(
        /do not allow this server to write to the bucket .*s3:PutObject/,
      )
      await policy([{ ...deny, Effect: 'Allow' }])
      client.destroy()
    })
    it('out of reach', async () => {
      const proxy = await startFlakyProxy(settings.endpoint!)
      proxy.misbehave(() => 'silence')
      expect(await sentence({ ...settings, endpoint: proxy.url })).toMatch(/cannot be reached: .*S3_ENDPOINT/)
      await proxy.close()
      expect(await sentence({ ...settings, endpoint: proxy.url })).toMatch(
        /cannot be reached: connect ECONNREFUSED/,
      )
    })
  })
})
