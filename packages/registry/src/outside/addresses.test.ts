import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isInnerHost, mayReach, nothingAllowed, readAllowed } from './addresses.ts'
import { checkUrl } from './ask.ts'

const rule = (url: string, allowed = nothingAllowed) => {
  const checked = checkUrl(url, { allowed })
  return checked instanceof URL ? 'taken' : checked
}

test.each([
  '0x7f000001',
  '2130706433',
  '017700000001',
  '127.1',
  '１２７.０.０.１',
  '127.0.0.1',
  '10.0.0.1',
  '172.16.0.1',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '198.18.0.1',
  '192.0.2.1',
  '203.0.113.9',
  '0.0.0.0',
  '0',
  '255.255.255.255',
  '224.0.0.1',
  '240.0.0.1',
  '[::]',
  '[::1]',
  '[::ffff:10.0.0.1]',
  '[::ffff:a00:1]',
  '[::10.0.0.1]',
  '[64:ff9b::10.0.0.1]',
  '[64:ff9b:1::a00:1]',
  '[2002:a00:1::1]',
  '[2001:0:4136:e378:8000:63bf:3fff:fdd2]',
  '[2001:db8::1]',
  '[100::1]',
  '[fc00::1]',
  '[fd12::1]',
  '[fe80::1]',
  '[fec0::1]',
  '[ff02::1]',
  '[5f00::1]',
  '[2001:2::1]',
  '[3fff::1]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'ulmus.localhost',
  'a.b.localhost.',
  'ｌocalhost',
])('https://%s/ is refused', (host) => {
  expect(rule(`https://${host}/`)).toBe('address')
})

test.each([
  ['https://93.184.216.34/hook?x=1', 'taken'],
  ['https://[2606:2800:220:1:248:1893:25c8:1946]/', 'taken'],
  ['https://receiver.example/hook', 'taken'],
  ['https://localhost.example/hook', 'taken'],
  ['https://mylocalhost/hook', 'taken'],
  ['https://receiver.example:443/hook', 'taken'],
  ['HTTPS://Receiver.Example/', 'taken'],
  ['http://receiver.example/', 'scheme'],
  ['ftp://receiver.example/', 'scheme'],
  ['https://receiver.example:8443/', 'port'],
  ['https://me:secret@receiver.example/', 'user_info'],
  ['https://receiver.example/#x', 'fragment'],
  ['receiver.example', 'not_a_url'],
  ['', 'not_a_url'],
  [`https://receiver.example/${'a'.repeat(2_048)}`, 'too_long'],
])('%s: %s', (url, expected) => {
  expect(rule(url)).toBe(expected)
})

test('any way to write a private IPv4 address in IPv6 is refused', () => {
  const byte = fc.integer({ min: 0, max: 255 })
  const priv = fc.oneof(
    fc.tuple(fc.constantFrom(10, 127), byte, byte, byte),
    fc.tuple(fc.constant(192), fc.constant(168), byte, byte),
    fc.tuple(fc.constant(169), fc.constant(254), byte, byte),
  )
  const prefix = fc.constantFrom(
    '::ffff:',
    '::',
    '64:ff9b::',
    '::ffff:0:',
    '64:ff9b:1::',
    'fe80::',
    'fec0::',
    '2002:',
  )
  fc.assert(
    fc.property(priv, prefix, fc.boolean(), ([a, b, c, d], before, dotted) => {
      const hex = `${((a << 8) | b).toString(16)}:${((c << 8) | d).toString(16)}`
      const tail = before === '2002:' ? `${hex}::` : dotted ? `${a}.${b}.${c}.${d}` : hex
      expect(rule(`https://[${before}${tail}]/`)).toBe('address')
    }),
  )
})

test('an operator opens networks, hosts with ports, and plain http, and nothing beside them', () => {
  const allowed = readAllowed(
    '10.1.0.0/16, fd00:1::/32, 192.168.7.7, ci.internal:8443, http://127.0.0.1:9000, http://hooks.internal',
  )
  const taken = [
    'https://10.1.2.3/',
    'https://[fd00:1::5]/',
    'https://192.168.7.7/',
    'https://ci.internal:8443/x',
    'http://127.0.0.1:9000/',
    'http://hooks.internal/',
    'https://ci.internal/',
  ]
  const refused = {
    'https://10.2.0.1/': 'address',
    'https://10.1.2.3:8443/': 'port',
    'http://10.1.2.3/': 'scheme',
    'https://127.0.0.1/': 'address',
    'http://127.0.0.1:9001/': 'scheme',
    'https://127.0.0.1:9000/': 'port',
    'https://ci.internal:8444/': 'port',
    'http://ci.internal:8443/': 'scheme',
  }
  expect(taken.map((url) => rule(url, allowed))).toEqual(taken.map(() => 'taken'))
  for (const [url, why] of Object.entries(refused)) expect([url, rule(url, allowed)]).toEqual([url, why])
})

test('link-local opens by a single address alone, and addresses of this machine and of many never', () => {
  const wide = readAllowed('0.0.0.0/0,::/0')
  expect(mayReach('10.0.0.1', wide)).toBe(true)
  for (const address of [
    '169.254.169.254',
    'fe80::1',
    '0.0.0.0',
    '::',
    '224.0.0.1',
    '255.255.255.255',
    'ff02::1',
  ])
    expect([address, mayReach(address, wide), mayReach(address, wide, true)]).toEqual([address, false, false])
  expect(mayReach('169.254.1.2', readAllowed('169.254.1.2'))).toBe(true)
  expect(mayReach('169.254.1.3', readAllowed('169.254.1.2'))).toBe(false)
})

test.each([
  '10.0.0.0/33',
  'https://a.example/path',
  'http://me@a.example',
  'a b',
  'ftp://a.example',
  'https://a.example?x',
  'foo',
  'ci.internal',
  '*.internal:443',
  'ci.internal:99999',
  '10.0.0:443/8',
])('OUTSIDE_ALLOW=%s is refused with a sentence that names it', (text) => {
  expect(() => readAllowed(`10.0.0.0/8,${text}`)).toThrow(text)
})

test.each([
  ['http://registry.example.org', false],
  ['http://93.184.216.34:8080', false],
  ['http://[2606:2800:220:1:248:1893:25c8:1946]', false],
  ['http://localhost.example.org', false],
  ['http://localhost:4000', true],
  ['http://registry:4000', true],
  ['http://registry.internal', true],
  ['http://10.0.0.7', true],
  ['http://100.64.0.7', true],
  ['http://[fd12::1]:4000', true],
])('%s is of an inner network: %s', (url, isInner) => {
  expect(isInnerHost(new URL(url))).toBe(isInner)
})
