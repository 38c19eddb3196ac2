/** Files of variables: their reading is systemd's, and lines that Node reads differently are named. */
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { expect, test } from 'vitest'
import { envFileDifferences, readEnvFile } from './env-file.ts'

const cases: [string, Record<string, string>][] = [
  ['QUOTA_BYTES=5GB # five\nSITE_NAME=Data # ours', { QUOTA_BYTES: '5GB # five', SITE_NAME: 'Data # ours' }],
  ['export TRUST_PROXY=loopback\nPORT=1', { PORT: '1' }],
  ['OPERATORS=http://127.0.0.1:7120#u-olga', { OPERATORS: 'http://127.0.0.1:7120#u-olga' }],
  ['# A=1\n;B=2\n  # C=3\n  D = 4  \nno value\nE', { D: '4' }],
  ['A="x # y"  # z\nB="a" \'b\' c  \nC=', { A: 'x # y# z', B: 'abc', C: '' }],
  ['A="one\ntwo"\nB=x\\\ny\nC="x\\\ny"', { A: 'one\ntwo', B: 'xy', C: 'xy' }],
  ['A=a\\b\\\\c\nB="a\\b\\"c\\\\d"\nC=\'a\\b"c\'', { A: 'ab\\c', B: 'a\\b"c\\d', C: 'a\\b"c' }],
  ['A=it\'s "so"\nB=x\\ \nC=tab\tin  ', { A: 'it\'s "so"', B: 'x ', C: 'tab\tin' }],
  ['A=1\r\nB=2\r\nA=3\r\n', { A: '3', B: '2' }],
  ['=x\n==y\nA==z\n1A=q\nA.B=r\n`A`=s', { A: '=z' }],
  ['A="open\nB=2', { A: 'open\nB=2' }],
  ['A=`x`\nB=x=y;z', { A: '`x`', B: 'x=y;z' }],
]

test.each(cases)('%j is read as by systemd', (text, variables) => {
  expect(readEnvFile(text)).toEqual(variables)
})

const generator = '/usr/lib/systemd/user-environment-generators/30-systemd-environment-d-generator'

/** Variables as systemd itself reads the text, by a program of it that drops empty ones and prints one a line, escaped. */
function readBySystemd(text: string): Record<string, string> {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-env-file-'))
  mkdirSync(join(folder, 'environment.d'))
  writeFileSync(join(folder, 'environment.d', '10.conf'), text)
  const env = { XDG_CONFIG_HOME: folder, PATH: '/usr/bin:/bin' }
  const printed = execFileSync(generator, { env, stdio: ['ignore', 'pipe', 'ignore'] }).toString()
  rmSync(folder, { recursive: true })
  const escapes: Record<string, string> = { n: '\n', t: '\t', r: '\r' }
  return Object.fromEntries(
    Array.from(printed.matchAll(/^(\w+)=(.*)$/gm), ([, name, value]) => [
      name!,
      value!.replace(/^"(.*)"$/, '$1').replace(/\\(.)/g, (_, one: string) => escapes[one] ?? one),
    ]).filter(([name]) => name !== 'QT_ACCESSIBILITY'),
  )
}

const withoutEmpty = (variables: object) =>
  Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''))

if (!existsSync(generator)) process.stdout.write('Not compared with systemd, which is not installed.\n')

test.skipIf(!existsSync(generator))('systemd itself reads the same', () => {
  for (const [text, variables] of cases)
    expect([text, readBySystemd(text)]).toEqual([text, withoutEmpty(variables)])
  // Many short texts of the characters that have a meaning. `$` is left out: the program replaces it, EnvironmentFile does not.
  const pieces = [
    'A=',
    'B=',
    'export ',
    'x',
    ' ',
    '\t',
    '#',
    ';',
    '"',
    "'",
    '\\',
    '\n',
    '\n',
    '\r\n',
    '=',
    '`',
  ]
  let seed = 7
  const random = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((seed / 2_147_483_648) * below)
  }
  for (let run = 0; run < 60; run++) {
    const text = `A=${Array.from({ length: 14 }, () => pieces[random(pieces.length)]).join('')}\n`
    const read = readEnvFile(text)
    // Where the last value is empty, the program prints the one before.
    if (!Object.values(read).includes('')) expect([text, read]).toEqual([text, readBySystemd(text)])
  }
})

test('lines that Node reads differently are named, with the way out and without the value', () => {
  const text = [
    'QUOTA_BYTES=5GB # five',
    '# A comment.',
    'export TRUST_PROXY=loopback',
    'OIDC_CLIENT_SECRET=abc#hunter2',
    'SITE_NAME="Data" # ours',
    'CONTACT=a\\b@example.org',
    'PORT=4000',
    'SITE_COLOR="#2f8f52"',
  ].join('\n')
  const differences = envFileDifferences(text)
  expect(differences).toEqual([
    expect.stringMatching(/^Line 1: # in QUOTA_BYTES belongs to the value for systemd.*a line of its own/),
    expect.stringMatching(/^Line 3: systemd ignores TRUST_PROXY because of `export`.*Remove `export`\.$/),
    expect.stringMatching(/^Line 4: # in OIDC_CLIENT_SECRET belongs.*put double quotes around the value/),
    expect.stringMatching(/^Line 5: # in SITE_NAME belongs/),
    expect.stringMatching(/^Line 6: systemd and `node --env-file` read CONTACT differently.*single quotes/),
  ])
  expect(differences.join()).not.toMatch(/hunter2|abc|example/)
  const mended = [
    ...['# five', 'QUOTA_BYTES=5GB', 'TRUST_PROXY=loopback', 'OIDC_CLIENT_SECRET="abc#hunter2"'],
    ...['SITE_NAME="Data"', "CONTACT='a\\b@example.org'"],
  ].join('\n')
  expect(envFileDifferences(mended)).toEqual([])
  expect(readEnvFile(mended)).toEqual({ ...parseEnv(mended) })
  expect(envFileDifferences('SITE_NAME="open\nPORT=1').map((one) => one.slice(0, 7))).toEqual([
    'Line 1:',
    'Line 2:',
  ])
})
