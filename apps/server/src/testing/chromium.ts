/** Browser for tests of pages: Debian's Chromium, driven by playwright-core, which has no browser of its own. */
import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

const executablePath = '/usr/bin/chromium'

/** Without Chromium, tests are skipped on a developer's machine and fail if `CI` is set. */
export function chromiumInstalled(): boolean {
  if (existsSync(executablePath) || process.env['CI'] === 'true') return true
  process.stderr.write('Tests in a browser are skipped. To run them: apt-get install chromium\n')
  return false
}

/** Headless. Sends no requests of its own. */
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
