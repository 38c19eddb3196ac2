/** A bucket of another region, or behind another address: the start says which setting to correct. */
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, expect, test } from 'vitest'
import { openS3Store } from './open.ts'

let answer: { status: number; headers: Record<string, string>; body: string }
const server = createServer((request, response) => {
  request.resume()
  response.writeHead(answer.status, answer.headers).end(answer.body)
})
await once(server.listen(0, '127.0.0.1'), 'listening')
afterAll(() => server.close())

const html = '<html><p>Moved<br></html>'
const elsewhere = { location: 'https://store.example/' }
const region = { 'x-amz-bucket-region': 'eu-central-1' }

test('https:// to a server of plain HTTP is named, without the trace of OpenSSL', async () => {
  const opened = openS3Store({
    ...{ bucket: 'data', prefix: '', region: 'us-east-1', keys: { accessKeyId: 'a', secretAccessKey: 'b' } },
    endpoint: `https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  })
  await expect(opened).rejects.toThrow(
    /cannot be reached: it does not speak TLS: http:\/\/ instead of https:\/\/\? Correct S3_ENDPOINT\.$/,
  )
})

test.each([
  [301, region, '', /is in another region\. Set AWS_REGION to eu-central-1\.$/],
  [301, region, html, /is in another region\. Set AWS_REGION to eu-central-1\.$/],
  [301, {}, '<Error><Code>PermanentRedirect</Code></Error>', /Set AWS_REGION to its own\.$/],
  [307, elsewhere, html, /redirects to https:\/\/store\.example\/\. Set AWS_REGION to the region of the/],
  [308, {}, '', /the answer \(308\) redirects\. Set AWS_REGION/],
] as const)('%i %j %s', async (status, headers, body, sentence) => {
  answer = { status, headers, body }
  const settings = {
    ...{ bucket: 'data', prefix: '', region: 'us-east-1', keys: { accessKeyId: 'a', secretAccessKey: 'b' } },
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  }
  const place = `(${settings.endpoint})`
  await expect(openS3Store(settings)).rejects.toThrow(sentence)
  await expect(openS3Store(settings)).rejects.toThrow(`The bucket data of OBJECT_STORE ${place}`)
  await expect(openS3Store({ ...settings, namedBy: 'TARGET' })).rejects.toThrow(`of TARGET ${place}`)
})
