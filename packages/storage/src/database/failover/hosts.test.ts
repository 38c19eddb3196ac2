/** Connection strings with several hosts. */
import pg from 'pg'
import { expect, test, vi } from 'vitest'
import { databaseHosts } from './hosts.ts'

test.each([
  ['postgres://u:p@h:1/d?sslmode=disable', ['postgres://u:p@h:1/d?sslmode=disable'], false],
  ['postgres:///d?host=/run/postgresql', ['postgres:///d?host=/run/postgresql'], false],
  [
    'postgres://u:p%2Cq@a:1,[::1]:2,c/d?target_session_attrs=read-write&sslmode=disable',
    ['a:1', '[::1]:2', 'c'].map((host) => `postgres://u:p%2Cq@${host}/d?sslmode=disable`),
    true,
  ],
  ['postgres://u@a,b/d', ['postgres://u@a/d', 'postgres://u@b/d'], true],
  ['postgres://a,b', ['postgres://a', 'postgres://b'], true],
  ['postgres://u@a/d?target_session_attrs=primary', ['postgres://u@a/d'], true],
  ['postgres://u@h/d?sslmode=require&a=b', ['postgres://u@h/d?sslmode=verify-full&a=b'], false],
  ['postgres://u@h/d?sslmode=no-verify', ['postgres://u@h/d?sslmode=no-verify'], false],
  [
    'postgres://u@h/d?uselibpqcompat=true&sslmode=require',
    ['postgres://u@h/d?uselibpqcompat=true&sslmode=require'],
    false,
  ],
])('%s', (url, urls, onlyPrimary) => {
  expect(databaseHosts(url)).toEqual({ urls, onlyPrimary })
})

test('modes of TLS mean to the driver the same as before, without its warning', () => {
  const warn = vi.spyOn(process, 'emitWarning').mockReturnValue()
  const sslOf = (connectionString: string) => new pg.Client({ connectionString }).ssl
  const modes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']
  const urls = modes.map((mode) => `postgres://u@h/d?sslmode=${mode}`)
  const read = urls.map((url) => sslOf(databaseHosts(url).urls[0]!))
  expect(warn).not.toHaveBeenCalled()
  expect(read).toEqual(urls.map(sslOf))
  expect(warn).toHaveBeenCalledOnce()
  warn.mockRestore()
})

test('a standby cannot be demanded', () => {
  expect(() => databaseHosts('postgres://a,b/d?target_session_attrs=standby')).toThrow(/must be read-write/)
})
