/** The operator's name, links, contact, logo and colour on every page, and in the files for programs. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readConfig } from '../config.ts'
import { serveForTest, type TestServer } from '../testing/serve.ts'
import { testClient } from '../testing/test-client.ts'

const svg = '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'

describe.each(anyDatabase)('a site of its own, on $name', (database) => {
  const folder = mkdtempSync(join(tmpdir(), 'ulmus-site-'))
  let server: TestServer
  let dispose: () => Promise<void>
  const get = (path: string) => testClient(server.url, undefined, '').get(path)

  beforeAll(async () => {
    writeFileSync(join(folder, 'logo.svg'), svg)
    const { site } = readConfig({
      ...{ SITE_NAME: 'Data of <Ås>', CONTACT: 'data@a.example', SITE_COLOR: '#aa1122' },
      SITE_LINKS: 'Imprint=https://a.example/imprint,Privacy=https://a.example/p?x="1"',
      SITE_LOGO: join(folder, 'logo.svg'),
    })
    const test = await database.settings()
    dispose = test.dispose
    server = await serveForTest(test.settings, { site })
  })
  afterAll(async () => {
    await server.close()
    await dispose()
    rmSync(folder, { recursive: true })
  })

  test('its pages, also those of errors, have the name, the links, the contact, the logo and the colour', async () => {
    for (const path of ['/', '/explore', '/docs', '/absent']) {
      const { text } = await get(path)
      expect(text).toMatch(/<title>[^<]*· Data of &lt;Ås><\/title>/)
      for (const part of [
        '<a href="https://a.example/imprint">Imprint</a>',
        '<a href="https://a.example/p?x=&quot;1&quot;">Privacy</a>',
        '<a href="mailto:data@a.example">Contact</a>',
        'fill="#aa1122"',
      ])
        expect(text).toContain(part)
      expect(text).not.toContain('Ulmus, a registry')
    }
    const [, logo = ''] = /<img src="(\/assets\/logo-[0-9a-f]{8}\.svg)"/.exec((await get('/')).text)!
    const { text, headers } = await get(logo)
    expect([text, headers['content-type']]).toEqual([svg, 'image/svg+xml'])
    // A script in it does not run.
    expect(headers['content-security-policy']).toContain("script-src 'self'")
    expect((await get('/assets/logo-00000000.svg')).status).toBe(404)
  })

  test('programs find them in the manifest, llms.txt and security.txt', async () => {
    expect(JSON.parse((await get('/site.webmanifest')).text)).toMatchObject({
      name: 'Data of <Ås>',
      theme_color: '#aa1122',
    })
    expect((await get('/llms.txt')).text).toContain('# Data of <Ås>\n')
    const { text } = await get('/.well-known/security.txt')
    expect(text).toContain('Contact: mailto:data@a.example\n')
    const [, expires = ''] = /^Expires: (\S+)$/m.exec(text) ?? []
    const days = (Date.parse(expires) - Date.now()) / 86_400_000
    expect([days > 30, days < 365]).toEqual([true, true])
  })
})
