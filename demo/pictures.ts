/** The README's pictures: their pages, and the structure of each, by which a test knows that a picture is of today. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Page } from 'playwright-core'

/** Paths by the names of the pictures in `docs/images`. */
export const pictures = {
  overview: '/mercator/cities',
  records: '/mercator/cities/records/City',
  compare: '/mercator/cities/compare/v1.0.0...v1.1.0',
  private: '/mercator/stations',
}

export const picturesFolder = join(import.meta.dirname, '../docs/images')
/** Structures of the pages of the pictures, by name. */
export const structuresFile = join(picturesFolder, 'structures.json')
export const storedStructures = (): unknown => JSON.parse(readFileSync(structuresFile, 'utf8'))

/** Size of a picture. Pixels. */
export const pictureSize = { width: 1000, height: 620 }

/** Signs in with the provider that a new registry has. */
export async function signInAs(page: Page, login: string): Promise<void> {
  await page.goto('/auth/login')
  await page.fill('[name=login]', login)
  await page.getByRole('button', { name: 'Sign in' }).click()
}

/** Goes to the page of a picture, and waits for the parts that are computed after the first visit. */
export async function visitPicture(page: Page, name: keyof typeof pictures): Promise<void> {
  const awaited = { overview: '.strip', records: '.profiles', compare: '.strip', private: 'main' }[name]
  for (let tries = 0; tries < 90; tries++) {
    await page.goto(pictures[name])
    if ((await page.locator(awaited).count()) > 0) return
    await page.waitForTimeout(2_000)
  }
  throw new Error(`${pictures[name]} has no ${awaited} after three minutes.`)
}

/** Deeper elements are parts of words and cells. */
const depthMax = 7

/**
 * Names and classes of the elements of a page, nested, without their words and sizes: another font or another day changes nothing. Equal
 * neighbours count once.
 */
export const structureOf = (page: Page): Promise<string> =>
  page.evaluate((most) => {
    const structure = (element: Element, depth: number): string => {
      if (element.getBoundingClientRect().width === 0) return ''
      const name = [element.localName, ...element.classList].join('.')
      if (depth === most || element.localName === 'svg') return name
      const children = [...element.children].map((child) => structure(child, depth + 1))
      const differing = children.filter((child, at) => child !== '' && child !== children[at - 1])
      return differing.length === 0 ? name : `${name}(${differing.join(' ')})`
    }
    return structure(document.body, 0)
  }, depthMax)
