/** The web interface: which page is at which path, and, loaded when first needed, the pages and what browsers load for them. */
import { readTsx } from '#building'
import { openAssets } from './assets.ts'
import { loadPages } from './pages/table.ts'

export { readAssets } from '#building'
export { exampleOrigin } from './docs/documents.ts'
export { docFiles, docPages, docsFolder } from './docs/pages.ts'
export type { Answer, Download, DownloadsState, Form, Page, Visit } from './page.ts'
export { Plain, Redirect } from './page.ts'
export { type PageName, type PagePath, table, withForm } from './pages/table.ts'
export { type ReadmeSite, renderAhead } from './readme/readme.ts'

export type Web = Awaited<ReturnType<typeof load>>

let loading: Promise<Web> | undefined

/** The same for all servers of a process. The first time it takes some 0.4 s of work, which nothing but pages waits for. */
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
