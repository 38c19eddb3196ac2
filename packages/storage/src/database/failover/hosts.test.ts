/** Connection strings with several hosts. */
import { expect, test } from 'vitest'
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
])('%s', (url, urls, onlyPrimary) => {
  expect(databaseHosts(url)).toEqual({ urls, onlyPrimary })
})

test('a standby cannot be demanded', () => {
  expect(() => databaseHosts('postgres://a,b/d?target_session_attrs=standby')).toThrow(/must be read-write/)
})
