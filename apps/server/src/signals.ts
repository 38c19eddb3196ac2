/** Shutdown by signals, or when the parent npm or `ulmus-server` ends. */
import { readFileSync } from 'node:fs'
import { isatty } from 'node:tty'

/** Under npm one Ctrl-C arrives twice: from the terminal and from npm. */
const repeatMilliseconds = 1_000
/** Interval between checks of the parent process. Milliseconds. */
const parentMilliseconds = 250

/**
 * Ends the process on SIGTERM and SIGINT, and on SIGHUP if it has a terminal. Without a terminal SIGHUP is ignored: `nohup` ignores it too,
 * but Node resets that.
 * @param npmScript command that npm runs, from `npm_lifecycle_script`; undefined if npm did not start the process
 * @param end called once
 * @param endAtOnce called at a further request, a second later or more
 */
export function onEndWanted(
  npmScript: string | undefined,
  { end, endAtOnce }: { end: (why: string) => void; endAtOnce: () => void },
): void {
  let requestedAt: number | undefined
  const ask = (why: string) => {
    if (requestedAt === undefined) {
      requestedAt = performance.now()
      end(why)
    } else if (performance.now() - requestedAt > repeatMilliseconds) endAtOnce()
  }
  process.on('SIGTERM', ask)
  process.on('SIGINT', ask)
  // If Node cannot replace the process of `ulmus-server`, that process stays as our parent and forwards signals. It cannot forward SIGKILL.
  const launcherEnded = () => ask('the end of ulmus-server')
  if (process.connected === false) launcherEnded()
  process.once('disconnect', launcherEnded)
  process.channel?.unref()
  const shell = shellOfNpm(npmScript)
  let orphaned = false
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    // Wait for a second check: the SIGHUP that ended the shell may still reach us.
    if (!orphaned) {
      orphaned = true
      return
    }
    clearInterval(watch)
    ask('the end of npm')
  }, parentMilliseconds).unref()
  if (shell === undefined) clearInterval(watch)
  process.on('SIGHUP', (signal) => {
    if ([0, 1, 2].some((descriptor) => isatty(descriptor))) ask(signal)
    // The shell received the SIGHUP too, and ends.
    else clearInterval(watch)
  })
}

/**
 * Process id of the shell that runs between npm and this process: `npx ulmus-server` is npm, which runs `sh -c ulmus-server`. npm sends
 * signals to the shell, which ends without forwarding them. Returns undefined for a script that puts this process in the background: that
 * shell ends by itself.
 */
function shellOfNpm(script: string | undefined): number | undefined {
  if (script === undefined || process.platform !== 'linux' || /(?<!&)&(?!&)/.test(script)) return undefined
  try {
    const [, flag, command] = readFileSync(`/proc/${process.ppid}/cmdline`, 'utf8').split('\0')
    return flag === '-c' && command?.includes(script) ? process.ppid : undefined
  } catch {
    return undefined
  }
}
