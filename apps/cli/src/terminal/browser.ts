/** Opens pages in the user's browser. */
import { spawn } from 'node:child_process'

const openers: Partial<Record<NodeJS.Platform, readonly [program: string, ...args: string[]]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
}

/** Addresses without special characters of any shell: on Windows, `start` runs in one. */
const plain = /^https?:\/\/[\w.:/?=%~+-]+$/

/** Opens an address in a browser, or in `BROWSER`. @returns false if no program could be started */
export function openInBrowser(address: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!plain.test(address)) return Promise.resolve(false)
  const isHeadless =
    process.platform === 'linux' && !env['DISPLAY'] && !env['WAYLAND_DISPLAY'] && !env['BROWSER']
  if (isHeadless) return Promise.resolve(false)
  const [program, ...args] = env['BROWSER'] ? [env['BROWSER']] : (openers[process.platform] ?? ['xdg-open'])
  return new Promise((resolve) => {
    const child = spawn(program!, [...args, address], { stdio: 'ignore', detached: true, env })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}
