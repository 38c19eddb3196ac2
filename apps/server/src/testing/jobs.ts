/** Jobs of a trusted issuer for tests: the operator's file, and keys that their tokens were exchanged for. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { makeKey, sign } from '@ulmus/registry/testing/issuer'
import { exchangeGrant, idTokenType } from '@ulmus/wire'
import { expectStatus, type TestClient, testClient } from './test-client.ts'

/** GitLab of these jobs, whose keys are in the file. */
export const jobIssuer = 'https://gitlab.example'
export const clusterIssuer = 'https://cluster.example'
export const jobClaims = {
  ...{ project_path: 'atlas/cities', project_id: '22', namespace_id: '7', ref: 'main', ref_type: 'branch' },
  ...{ ref_protected: 'true', pipeline_source: 'push', sha: '714a629c0b401fdce83e847fc9589983fc6f46bc' },
  ...{ sub: 'project_path:atlas/cities:ref_type:branch:ref:main', job_id: '302' },
}

/** @param now clock of the server */
export async function trustedJobs(now: () => Date = () => new Date()) {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-jobs-'))
  const key = await makeKey('1')
  writeFileSync(join(folder, 'keys.json'), JSON.stringify({ keys: [key.jwk] }))
  const file = join(folder, 'issuers.json')
  const issuers = [
    { issuer: jobIssuer, kind: 'gitlab', jwks: 'keys.json' },
    { issuer: clusterIssuer, kind: 'kubernetes', jwks: 'keys.json' },
  ]
  writeFileSync(file, JSON.stringify(issuers))
  const token = (audience: string, claims: object = {}) =>
    sign(key, { iss: jobIssuer, aud: audience, ...jobClaims, ...claims }, { at: now() })
  const exchange = async (url: string, collection: string, claims: object = {}) =>
    testClient(url, undefined, '').request('POST', '/auth/exchange', {
      body: String(formOf(await token(url, claims), collection)),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  return {
    /** For `trustedIssuersFile`. */
    file,
    token,
    exchange,
    /** Adds a publisher and exchanges a token. @param collection `owner/slug` */
    async keyFor(admin: TestClient, url: string, collection: string): Promise<string> {
      const claims = { project_path: jobClaims.project_path, ref: 'main' }
      const path = `/api/collections/${collection}/publishers`
      await expectStatus(admin.post(path, { issuer: jobIssuer, claims, lifetimeMinutes: 60 }), 201)
      return (await expectStatus(exchange(url, collection))).json.access_token as string
    },
    end: () => rmSync(folder, { recursive: true }),
  }
}

export const formOf = (token: string, collection: string): URLSearchParams =>
  new URLSearchParams({
    ...{ grant_type: exchangeGrant, subject_token: token },
    ...{ subject_token_type: idTokenType, audience: collection },
  })
