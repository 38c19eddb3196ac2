/** The web interface: the table of pages, and a loader of the pages and their assets at first use. */
import { readTsx } from '#building'
import { openAssets } from './assets.ts'
import { loadPages } from './pages/table.ts'

export { readAssets } from '#building'
export { citationsOf } from './data/citation.ts'
export { exampleOrigin } from './docs/documents.ts'
export { docFiles, docPages, docPath, docsFolder } from './docs/pages.ts'
export { croissantOf, croissantType } from './documents/croissant.ts'
export { dataPackageOf } from './documents/data-package.ts'
export { describeVersion } from './documents/described.ts'
export { signpostsOf } from './documents/signposts.ts'
export type { Answer, Download, DownloadsState, Form, Page, ReferencePage, Site, Visit } from './page.ts'
export { Plain, Redirect, usualSite } from './page.ts'
export { formsForAnyone, type PageName, type PagePath, repeated, table, withForm } from './pages/table.ts'
export { type ReadmeSite, renderAhead } from './readme/readme.ts'

export type Web = Awaited<ReturnType<typeof load>>

let loading: Promise<Web> | undefined

/** Loads the pages and assets, once per process. The first call takes some 0.4 s of work; only pages wait for it. */
export function openWeb(): Promise<Web> {
  if (loading === undefined) {
    loading = load()
    loading.catch(() => {
      loading = undefined
    })
  }
  return loading
}

async function load() {
  const done = readTsx()
  try {
    const [pages, { documentOf }, { refusalPage }, assets] = await Promise.all([
      loadPages(),
      import('./layout/document.tsx'),
      import('./pages/site/refusal.tsx'),
      openAssets(),
    ])
    return { pages, documentOf, refusalPage, assets }
  } finally {
    done()
  }
}
