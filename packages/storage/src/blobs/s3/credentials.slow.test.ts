/** All sources of credentials for a bucket, and the messages about invalid ones. */
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { BucketUnusableError } from '../../errors/stores.ts'
import { makeBucket, s3Server } from '../../testing/buckets.ts'
import { type FlakyProxy, startFlakyProxy } from '../../testing/flaky-proxy.ts'
import { bucketOf, type S3Keys, type S3Settings } from './bucket.ts'
import { openS3Store } from './store.ts'

type Place = Omit<S3Settings, 'keys'>
/** Frozen, like the settings of a server. */
const frozen = (keys: S3Keys) => Object.freeze({ ...keys })
const open = async (settings: S3Settings) => (await openS3Store(settings)).close()
const patience = { connecting: 500, idle: 600 }

describe.skipIf(!s3Server()?.role)('credentials for a bucket', () => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-credentials-'))
  const { endpoint, keys, role } = s3Server() ?? {
    endpoint: '',
    keys: { accessKeyId: '', secretAccessKey: '' },
  }
  let place: Place
  let disposeBucket: () => Promise<void>
  let roles: Server
  let rolesUrl: string
  let files = 0

  /** Creates a file for each case, because the client caches files that it has read. */
  const file = (content: string) => {
    const path = join(folder, `file-${files++}`)
    writeFileSync(path, content)
    return path
  }
  const profiles = (secret: string) => `
[default]
aws_access_key_id = ${keys.accessKeyId}
aws_secret_access_key = ${secret}
[half]
aws_access_key_id = ${keys.accessKeyId}
[role]
source_profile = default
role_arn = ${role}
[moment]
source_profile = default
role_arn = ${role}
duration_seconds = 1
`
  const variables = (given: Record<string, string>) => {
    for (const [name, value] of Object.entries(given)) vi.stubEnv(name, value)
  }
  /** Temporary keys from the store's own token service. */
  const temporaryKeys = async (profile: 'role' | 'moment'): Promise<Required<S3Keys>> => {
    const shared = { AWS_PROFILE: profile, AWS_SHARED_CREDENTIALS_FILE: file(profiles(keys.secretAccessKey)) }
    variables({ ...shared, AWS_ENDPOINT_URL_STS: endpoint })
    const client = new S3Client({ region: 'us-east-1' })
    const { accessKeyId, secretAccessKey, sessionToken } = await client.config.credentials()
    client.destroy()
    vi.stubEnv('AWS_PROFILE', undefined)
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'))
    return { accessKeyId, secretAccessKey, sessionToken: sessionToken! }
  }

  beforeAll(async () => {
    const made = await makeBucket()
    const { keys: _keys, ...rest } = made.settings
    place = rest
    disposeBucket = made.dispose
    roles = createServer(async (request, response) => response.end(await roleAnswer(request, handedOut)))
    await once(roles.listen(0, '127.0.0.1'), 'listening')
    rolesUrl = `http://127.0.0.1:${(roles.address() as AddressInfo).port}`
  })
  afterAll(async () => {
    roles.closeAllConnections()
    roles.close()
    await disposeBucket()
    rmSync(folder, { recursive: true })
  })
  let handedOut: Required<S3Keys>
  // Hide credentials of the account that runs the tests, and contact no other machine.
  beforeEach(() => {
    for (const name of Object.keys(process.env)) if (name.startsWith('AWS_')) vi.stubEnv(name, undefined)
    variables({ HOME: folder, AWS_EC2_METADATA_DISABLED: 'true' })
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', join(folder, 'none'))
    vi.stubEnv('AWS_CONFIG_FILE', join(folder, 'none'))
  })
  afterEach(() => void vi.unstubAllEnvs())

  it('are taken from the settings', () => open({ ...place, keys: frozen(keys) }))
  it('are taken from the settings when they expire', async () =>
    open({ ...place, keys: frozen(await temporaryKeys('role')) }))
  it('are taken from the shared file', async () => {
    variables({ AWS_SHARED_CREDENTIALS_FILE: file(profiles(keys.secretAccessKey)) })
    await open(place)
  })
  it('are taken from ~/.aws/credentials where no variable says another', async () => {
    const home = mkdtempSync(join(folder, 'home-'))
    mkdirSync(join(home, '.aws'))
    writeFileSync(join(home, '.aws', 'credentials'), profiles(keys.secretAccessKey))
    variables({ HOME: home })
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', undefined)
    await open(place)
  })
  it('are taken from the role that a profile names', async () => {
    const shared = { AWS_PROFILE: 'role', AWS_SHARED_CREDENTIALS_FILE: file(profiles(keys.secretAccessKey)) }
    variables({ ...shared, AWS_ENDPOINT_URL_STS: endpoint })
    await open(place)
  })
  it('are taken from the role of a container', async () => {
    handedOut = await temporaryKeys('role')
    variables({ AWS_CONTAINER_CREDENTIALS_FULL_URI: `${rolesUrl}/container` })
    await open(place)
  })
  it('are taken from the role of the machine', async () => {
    handedOut = await temporaryKeys('role')
    variables({ AWS_EC2_METADATA_DISABLED: 'false', AWS_EC2_METADATA_SERVICE_ENDPOINT: rolesUrl })
    await open(place)
  })
  it('are taken for a web identity', async () => {
    handedOut = await temporaryKeys('role')
    const identity = { AWS_WEB_IDENTITY_TOKEN_FILE: file('a token'), AWS_ROLE_ARN: role! }
    variables({ ...identity, AWS_ENDPOINT_URL_STS: rolesUrl })
    await open(place)
  })

  describe('that do not serve', () => {
    const sentenceOf = async (settings: S3Settings) => {
      const error = await open({ ...settings, patience }).then(
        () => 'it opened',
        (thrown: unknown) => thrown,
      )
      expect(error).toBeInstanceOf(BucketUnusableError)
      const { message } = error as Error
      expect(message.split('\n')).toHaveLength(1)
      return message
    }
    const where = () => `the bucket ${place.bucket} of OBJECT_STORE (${endpoint})`
    const renew = 'These credentials expire: if they worked before, renew them.'
    const correct = 'Correct AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN.'

    let proxy: FlakyProxy
    beforeAll(async () => {
      proxy = await startFlakyProxy(endpoint)
    })
    afterAll(() => proxy.close())
    const answered = (status: number, code: string) => {
      proxy.misbehave(() => ({ status, code }))
      return sentenceOf({ ...place, keys: frozen(keys), endpoint: proxy.url })
    }

    it('name the wrong key', async () => {
      const wrong = frozen({ ...keys, accessKeyId: 'unknown' })
      expect(await sentenceOf({ ...place, keys: wrong })).toBe(
        `The credentials for ${where()} are not taken (InvalidAccessKeyId). ${correct}`,
      )
    })
    it('name the wrong secret', async () => {
      const wrong = frozen({ ...keys, secretAccessKey: 'wrong' })
      expect(await sentenceOf({ ...place, keys: wrong })).toBe(
        `The credentials for ${where()} are not taken (SignatureDoesNotMatch). ${correct}`,
      )
    })
    it('name the file of a wrong secret', async () => {
      variables({ AWS_SHARED_CREDENTIALS_FILE: file(profiles('wrong')) })
      expect(await sentenceOf(place)).toMatch(
        /are not taken \(SignatureDoesNotMatch\)\. AWS_ACCESS_KEY_ID is not set, .* AWS_SHARED_CREDENTIALS_FILE/,
      )
    })
    it.each([
      ['nothing is set', {}],
      ['the profile is not there', { AWS_PROFILE: 'absent' }],
      ['the profile is incomplete', { AWS_PROFILE: 'half' }],
    ])('are none: %s', async (_why, given) => {
      if ('AWS_PROFILE' in given) variables({ AWS_SHARED_CREDENTIALS_FILE: file(profiles('x')) })
      variables(given)
      expect(await sentenceOf(place)).toMatch(
        /^There are no credentials for the bucket .*\. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, set AWS_PROFILE .*, or give this machine a role\.$/,
      )
    })
    it('have expired', async () => {
      const moment = await temporaryKeys('moment')
      await sleep(2_500)
      expect(await sentenceOf({ ...place, keys: frozen(moment) })).toBe(
        `The credentials for ${where()} are not taken (InvalidAccessKeyId). ${correct} ${renew}`,
      )
    })
    it('have a token of others', async () => {
      const token = frozen({ ...(await temporaryKeys('role')), sessionToken: 'nonsense' })
      expect(await sentenceOf({ ...place, keys: token })).toContain(renew)
    })
    it('have expired, which a server tells as it tells a missing permission', async () => {
      const temporary = frozen(await temporaryKeys('role'))
      proxy.misbehave(() => ({ status: 403, code: 'AccessDenied' }))
      const sentence = await sentenceOf({ ...place, keys: temporary, endpoint: proxy.url })
      expect(sentence).toMatch(/^The credentials do not allow this server to list /)
      expect(sentence).toContain(renew)
    })
    it.each(['ExpiredToken', 'InvalidToken'])('are refused with %s, as Amazon says it', async (code) => {
      expect(await answered(403, code)).toContain(`are not taken (${code}). ${correct}`)
    })
    it('lack the file of the web identity', async () => {
      variables({ AWS_WEB_IDENTITY_TOKEN_FILE: join(folder, 'no-token'), AWS_ROLE_ARN: role! })
      expect(await sentenceOf(place)).toMatch(
        /^The credentials for the bucket .* cannot be had: ENOENT.*no-token.*AWS_WEB_IDENTITY_TOKEN_FILE/,
      )
    })
    it('are of a role that the token service does not give', async () => {
      const shared = { AWS_PROFILE: 'role', AWS_SHARED_CREDENTIALS_FILE: file(profiles('wrong')) }
      variables({ ...shared, AWS_ENDPOINT_URL_STS: endpoint })
      expect(await sentenceOf(place)).toMatch(/^The credentials for the bucket .* cannot be had: /)
    })

    it.each([
      ['list', 's3:ListBucket', ''],
      ['write to', 's3:PutObject', '/*'],
      ['read from', 's3:GetObject', '/*'],
      ['delete from', 's3:DeleteObject', '/*'],
    ])('may not %s the bucket', async (does, Action, path) => {
      const made = await makeBucket()
      const { client } = bucketOf(made.settings)
      const Resource = `arn:aws:s3:::${made.settings.bucket}${path}`
      const Statement = { Effect: 'Deny', Principal: '*', Action, Resource }
      const policy = (statement: object) =>
        client.send(
          new PutBucketPolicyCommand({
            Bucket: made.settings.bucket,
            Policy: JSON.stringify({ Version: '2012-10-17', Statement: [statement] }),
          }),
        )
      await policy(Statement)
      const sentence = await sentenceOf({ ...made.settings, keys: frozen(keys) })
      expect(sentence).toContain(`do not allow this server to ${does} the bucket ${made.settings.bucket}`)
      expect(sentence).toContain(`Allow s3:ListBucket on it, and s3:GetObject, s3:PutObject`)
      expect(sentence).not.toContain('expire')
      await policy({ ...Statement, Effect: 'Allow' })
      client.destroy()
      await made.dispose()
    })

    it('are for a bucket that is not there', async () => {
      expect(await sentenceOf({ ...place, keys: frozen(keys), bucket: 'nowhere-to-be-found' })).toBe(
        `There is no bucket nowhere-to-be-found at ${endpoint}. Create it, or correct OBJECT_STORE.`,
      )
    })

    it.each([
      [400, 'AuthorizationHeaderMalformed'],
      [301, 'PermanentRedirect'],
      [400, 'IllegalLocationConstraintException'],
    ])('are for another region: %i %s', async (status, code) => {
      expect(await answered(status, code)).toMatch(/is in another region\. Set AWS_REGION to its own\.$/)
    })
    it.each([
      [
        'no server listens',
        'http://127.0.0.1:9',
        /connect ECONNREFUSED 127\.0\.0\.1:9\. Is S3_ENDPOINT right/,
      ],
      ['it speaks no TLS', endpoint.replace('http:', 'https:'), /cannot be reached: .*SSL.*Is S3_ENDPOINT/],
      ['its name is unknown', 'http://nowhere.invalid', /cannot be reached: .*nowhere\.invalid\. Is S3/],
    ])('meet no store: %s', async (_why, wrong, sentence) => {
      expect(await sentenceOf({ ...place, keys: frozen(keys), endpoint: wrong })).toMatch(sentence)
    })
    it.each([
      ['a page', 200, '<html><p>Welcome<br></html>'],
      ['a page of a refusal', 403, '<html><p>Log in<br></html>'],
      ['nothing', 200, ''],
      ['that it is not found', 404, '<html></html>'],
    ])('meet a server of another kind, which answers %s', async (_what, status, body) => {
      const other = createServer((request, response) => {
        request.resume()
        response.writeHead(status, { 'content-type': 'text/html' }).end(body)
      })
      await once(other.listen(0, '127.0.0.1'), 'listening')
      const url = `http://127.0.0.1:${(other.address() as AddressInfo).port}`
      expect(await sentenceOf({ ...place, keys: frozen(keys), endpoint: url })).toMatch(
        /(?:Is S3_ENDPOINT the address of an S3 server\?|but perhaps a web page\. Correct S3_ENDPOINT\.)$/,
      )
      other.close()
    })
    it('meet a mistake of ours: it is not blamed on the store', async () => {
      const broken = new Proxy(keys, {
        get: () => {
          throw new TypeError('a mistake')
        },
      })
      await expect(open({ ...place, keys: broken })).rejects.toThrow(TypeError)
    })
  })
})

/** Answers of the services that issue credentials: Amazon's container agent, machine metadata, and token service. */
async function roleAnswer(request: IncomingMessage, given: Required<S3Keys>): Promise<string> {
  const body = await text(request)
  const { accessKeyId: AccessKeyId, secretAccessKey: SecretAccessKey, sessionToken } = given
  const Expiration = new Date(Date.now() + 3_600_000).toISOString()
  if (body.includes('Action=AssumeRoleWithWebIdentity')) {
    return `<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
<AccessKeyId>${AccessKeyId}</AccessKeyId><SecretAccessKey>${SecretAccessKey}</SecretAccessKey>
<SessionToken>${sessionToken}</SessionToken><Expiration>${Expiration}</Expiration>
</Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`
  }
  if (request.method === 'PUT') return 'a token for the metadata'
  if (request.url?.endsWith('/security-credentials/')) return 'Ulmus'
  return JSON.stringify({ Code: 'Success', AccessKeyId, SecretAccessKey, Token: sessionToken, Expiration })
}
