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

/** Goes to the page of a picture, again and again until the parts that are computed after the first visit are there. */
export async function visitPicture(page: Page, name: keyof typeof pictures): Promise<void> {
  const later = name === 'records' ? '.profiles:not(.awaited)' : '.strip'
  const complete = page.locator('main:not([data-awaits])').filter({ has: page.locator(later) })
  for (let tries = 0; tries < 90; tries++) {
    await page.goto(pictures[name])
    if ((await complete.count()) > 0) return
    await page.waitForTimeout(2_000)
  }
  throw new Error(`${pictures[name]} has no ${later}, or is not complete, after three minutes.`)
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
