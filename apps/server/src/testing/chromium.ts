/** A browser for tests that look at pages: Debian's, driven by playwright-core, which brings none itself. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

/** Without a browser its tests are skipped on a developer's machine, and fail where `CI` says that everything must be there. */
export function chromiumInstalled(): boolean {
  if (existsSync(executablePath) || process.env['CI'] === 'true') return true
  process.stderr.write('Tests in a browser are skipped. To run them: apt-get install chromium\n')
  return false
}

/** Headless, and silent unless a page asks for something: it sends no requests of its own. */
export function openChromium(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--headless=new',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-default-apps',
      '--disable-sync',
      '--no-first-run',
    ],
  })
}
