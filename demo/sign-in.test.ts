import { expect, test } from 'vitest'
import { CookieJar, fillForm } from './sign-in.ts'

const setting = (...lines: string[]): Headers =>
  new Headers(lines.map((line): [string, string] => ['set-cookie', line]))

test('a cookie goes to its path and below, nowhere else', () => {
  const jar = new CookieJar()
  jar.take(setting('a=1; Path=/', 'b=2; Path=/dev/idp; HttpOnly', 'c=3'), '/dev/idp/page')
  expect(jar.header('/')).toBe('a=1')
  expect(jar.header('/dev/idp')).toBe('a=1; b=2; c=3')
  expect(jar.header('/dev/idp/x')).toBe('a=1; b=2; c=3')
  expect(jar.header('/dev/idpx')).toBe('a=1')
})

test('a cookie is replaced by one of its name and path, and removed by one that has expired', () => {
  const jar = new CookieJar()
  jar.take(setting('a=1=x; Path=/', 'b=2; Path=/', 'c=3; Path=/'), '/')
  jar.take(
    setting('a=4; Path=/', 'b=; Path=/; Max-Age=0', 'c=; path=/; expires=Thu, 01 Jan 1970 00:00:00 GMT'),
    '/',
  )
  expect(jar.header('/')).toBe('a=4')
  expect(jar.has(/^b$/)).toBe(false)
})

test('a form is filled with what it asks for, its own values kept', () => {
  const page = `<form method="post" action="/in?x=1&amp;y=2"><input type="hidden" name="token" value="t"><input name="login" required>
    <input id="email" name="email"></form>`
  const filled = fillForm(page, { login: 'ada', name: 'Ada', email: 'ada@example.org' })
  expect(filled?.action).toBe('/in?x=1&y=2')
  expect(Object.fromEntries(filled!.fields)).toEqual({ token: 't', login: 'ada', email: 'ada@example.org' })
  expect(fillForm('<p>Not found</p>', { login: '', name: '', email: '' })).toBeUndefined()
})
