/** The web interface: pages by their paths, and the files that browsers load for them. */
import { readTsx } from './tsx.ts'

export { type Assets, openAssets } from './assets.ts'
export type { Answer, Form, Page, Visit } from './page.ts'
export { Plain, Redirect } from './page.ts'

const done = readTsx()
/** All pages, the document around one, and the page of a refusal. */
export const { pages, documentOf, refusalPage } = await import('./pages/all.tsx')
done()
