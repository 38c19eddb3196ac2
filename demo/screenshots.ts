/**
 * Screenshots of every page with the demo's data, at two widths, light and dark, at the first and the second visit, in `screenshots/`, and the README's four small
 * pictures with the structure of their pages in `docs/images/`. Needs Debian's chromium, and a registry with the data of `npm run demo`. `--readme`: only the pictures.
 * Usage: npm run screenshots [-- --url http://127.0.0.1:4000 --readme]
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { chromium, type Page } from 'playwright-core'
import {
  pictureSize,
  pictures,
  picturesFolder,
  signInAs,
  structureOf,
  structuresFile,
  visitPicture,
} from './pictures.ts'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4000' },
    readme: { type: 'boolean', default: false },
  },
})
const folder = join(import.meta.dirname, '../screenshots')

const pages: Record<string, string> = {
  home: '/',
  explore: '/explore',
  search: '/explore?q=cities',
  account: '/mercator',
  ...pictures,
  question: '/mercator/cities/records/City?q=oslo&filter=country+eq+NOR&sort=-latitude',
  facets: '/mercator/cities/records/City?facets=1&profiles=0',
  map: '/mercator/cities/records/City?view=map&filter=country+eq+NOR',
  questions: '/mercator/countries/questions',
  chart: '/mercator/cities/records/City?view=chart&x=country',
  citation: '/mercator/cities/records/City?filter=country+eq+NOR&cite=1',
  sql: '/mercator/cities/sql?sql=select+country,+count(*)+as+n+from+City+group+by+country+order+by+n+desc',
  'no-match': '/mercator/cities/records/City?q=nowhere-at-all',
  record: '/mercator/cities/records/Country/NOR',
  schemas: '/mercator/spdx-licenses/schemas',
  files: '/mercator/cities/files',
  versions: '/mercator/cities/versions',
  'compare-with-source': '/atlas/cities/compare/mercator/cities@v1.0.0...v1.0.0',
  fork: '/mercator/cities/fork',
  edit: '/mercator/cities/edit',
  push: '/mercator/cities/push',
  'edit-record': '/mercator/cities/records/Country/NOR/edit',
  'new-record': '/mercator/cities/records/Country/new',
  'delete-record': '/mercator/cities/records/Country/NOR/delete',
  'edit-schema': '/mercator/cities/schemas/City/edit',
  'collection-settings': '/mercator/cities/settings',
  new: '/new',
  'new-org': '/new/org',
  settings: '/settings',
  keys: '/settings/keys',
  browsers: '/settings/sessions',
  members: '/atlas/-/members',
  'org-settings': '/atlas/-/settings',
  audit: '/atlas/-/audit',
  withdraw: '/mercator/cities/withdraw?version=v1.0.0',
  operators: '/admin',
  'operators-audit': '/admin/audit',
  refused: '/admin/audit?after=yesterday',
  docs: '/docs',
  document: '/docs/publishing',
  'not-found': '/missing/nothing',
}

const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--headless=new', '--no-sandbox', '--disable-gpu', '--disable-background-networking'],
})

async function signedIn(options: {
  colorScheme: 'light' | 'dark'
  width: number
  height: number
}): Promise<Page> {
  const { colorScheme, ...viewport } = options
  const context = await browser.newContext({ baseURL: values.url, colorScheme, viewport })
  const page = await context.newPage()
  await signInAs(page, 'mercator')
  return page
}

async function all(): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    for (const width of [1280, 390]) {
      const page = await signedIn({ colorScheme, width, height: 800 })
      for (const visit of ['first', 'second'])
        for (const [name, path] of Object.entries(pages)) {
          await page.goto(path)
          const fullPage = width > 1000 && name !== 'compare'
          const file = `${name}-${width}-${colorScheme}-${visit}.png`
          await page.screenshot({ path: join(folder, file), fullPage })
        }
      await page.context().close()
      process.stdout.write(`${Object.keys(pages).length} pages, ${width} px, ${colorScheme}\n`)
    }
  }
}

async function readmePictures(): Promise<void> {
  const page = await signedIn({ colorScheme: 'light', ...pictureSize })
  const structures: Record<string, string> = {}
  for (const name of Object.keys(pictures) as (keyof typeof pictures)[]) {
    await visitPicture(page, name)
    await page.screenshot({ path: join(picturesFolder, `${name}.jpg`), type: 'jpeg', quality: 70 })
    structures[name] = await structureOf(page)
  }
  writeFileSync(structuresFile, `${JSON.stringify(structures, null, 2)}\n`)
}

try {
  if (!values.readme) mkdirSync(folder, { recursive: true })
  if (!values.readme) await all()
  await readmePictures()
} finally {
  await browser.close()
}
process.stdout.write(`They are in ${values.readme ? picturesFolder : `${folder} and ${picturesFolder}`}\n`)
