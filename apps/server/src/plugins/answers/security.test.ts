/** Headers that keep browsers safe. */
import Fastify from 'fastify'
import { expect, test } from 'vitest'
import { secureAnswers } from './security.ts'

test.each([
  // Sites below this host, of others in the institution, may lack https.
  [true, 'max-age=31536000'],
  [false, undefined],
])('with https: %s, browsers keep to https for %s', async (https, header) => {
  const app = Fastify()
  await secureAnswers(app, { https })
  app.get('/', () => 'here')
  const { headers } = await app.inject('/')
  expect(headers['strict-transport-security']).toBe(header)
  await app.close()
})
