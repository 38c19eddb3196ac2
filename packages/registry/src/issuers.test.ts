/** The operator's file of trusted issuers, and its faults. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readIssuers } from './issuers.ts'
import { makeKey } from './testing/issuer.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'ulmus-issuers-'))
})
afterEach(() => rmSync(folder, { recursive: true }))

const file = (name: string, content: unknown): string => {
  writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content))
  return join(folder, name)
}

const readOrRefuse = async (path: string) => readIssuers(path)

test('issuers are read with their kinds, and keys from files beside it', async () => {
  const { jwk } = await makeKey('1')
  file('keys.json', { keys: [jwk], more: true })
  const entries = [
    { issuer: 'https://token.actions.githubusercontent.com', kind: 'github' },
    { issuer: 'https://ghes.example/_services/token', kind: 'github' },
    { issuer: 'https://kubernetes.default.svc', kind: 'kubernetes', jwks: 'keys.json' },
    { issuer: 'http://127.0.0.1:9000/', kind: 'other' },
  ]
  const read = await readIssuers(file('issuers.json', entries))
  expect(read).toEqual([entries[0], entries[1], { ...entries[2], jwks: { keys: [jwk] } }, entries[3]])
  expect(await readIssuers(file('none.json', []))).toEqual([])
})

test('each fault names the file and the entry', async () => {
  const good = { issuer: 'https://x.example', kind: 'other' }
  const { jwk } = await makeKey('1')
  file('secret.json', { keys: [{ ...jwk, d: 'x' }] })
  file('shared.json', { keys: [{ kty: 'oct', k: 'x' }] })
  file('empty.json', { keys: [] })
  file('page.json', '<html>')
  for (const [content, said] of [
    ['{', 'which is not JSON: line 1, column 2. Write it like [{'],
    ['[\n  SECRET_KEY=hunter2\n]', 'which is not JSON: line 2, column 3. Write it like [{'],
    [
      '<html>',
      '. Write it like [{"issuer": "https://token.actions.githubusercontent.com", "kind": "github"}]',
    ],
    [{}, 'must have a JSON array of issuers. Write it like [{"issuer"'],
    [[good, 'x'], 'entry 2 is not an object. Write it like [{"issuer"'],
    [[{ ...good, jwk: 'x' }], 'entry 1 has the unknown member "jwk"; it may have issuer, kind, jwks.'],
    [[{ kind: 'other' }], 'entry 1 needs an `issuer`'],
    [[{ ...good, issuer: 'http://x.example' }], 'needs an `issuer`: a URL with https://'],
    [[{ ...good, issuer: 'https://a:b@x.example' }], 'needs an `issuer`'],
    [[{ ...good, issuer: 'https://x.example?a' }], 'needs an `issuer`'],
    [[{ ...good, issuer: 'https://x.example#a' }], 'needs an `issuer`'],
    [[{ ...good, issuer: 'https://x.example;https://y.example' }], 'needs an `issuer`'],
    [[{ ...good, issuer: 'x.example' }], 'needs an `issuer`'],
    [[{ ...good, kind: 'gitea' }], 'needs a `kind`: one of github, gitlab, kubernetes, other'],
    [[good, good], 'entry 2 names https://x.example again'],
    [[{ ...good, jwks: 1 }], 'is not the path of a file'],
    [[{ ...good, jwks: 'missing.json' }], 'missing.json, which cannot be read'],
    [[{ ...good, jwks: 'page.json' }], 'page.json, which is not JSON'],
    [[{ ...good, jwks: 'page.json' }], '. It must be {"keys": […]}.'],
    [[{ ...good, jwks: 'empty.json' }], 'with at least one key'],
    [[{ ...good, jwks: 'secret.json' }], 'has a secret key'],
    [[{ ...good, jwks: 'shared.json' }], 'has a secret key'],
  ] as const) {
    const path = file('issuers.json', content)
    const message = await readOrRefuse(path).catch((error: Error) => error.message)
    expect(message).toContain(`TRUSTED_ISSUERS_FILE is ${path}, `)
    expect(message).toContain(said)
    expect(message).not.toMatch(/hunter2|\n/)
  }
  expect(() => readIssuers(join(folder, 'none'))).toThrow('which cannot be read')
})
