/** Shutdown by signals, or when the parent npm or `ulmus-server` ends. */
import { readFileSync } from 'node:fs'
import { isatty } from 'node:tty'

/** One Ctrl-C comes twice under npm: from the terminal, and passed on by npm. */
const repeatMilliseconds = 1_000
const parentMilliseconds = 250

/**
 * SIGTERM and SIGINT ask the process to end, and so does SIGHUP where there is a terminal to lose. Without one, SIGHUP is ignored:
 * `nohup` asks for that, and Node forgets it.
 * @param npmScript what npm runs, as it says in `npm_lifecycle_script`; undefined where npm did not start the process
 * @param end called once
 * @param endAtOnce called when it is asked for again, a second later or more
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
  // `ulmus-server` in a Node that cannot become the server stays before it, and passes signals on; SIGKILL it cannot.
  const launcherEnded = () => ask('the end of ulmus-server')
  if (process.connected === false) launcherEnded()
  process.once('disconnect', launcherEnded)
  process.channel?.unref()
  const shell = shellOfNpm(npmScript)
  let orphaned = false
  const watch = setInterval(() => {
    if (process.ppid === shell) return
    // Seen twice: a SIGHUP that ended the shell may still be on its way to us.
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
    // It went to the shell as well, which ends by it.
    else clearInterval(watch)
  })
}

/**
 * The shell between npm and us, when it waits for us: `npx ulmus-server` is npm, which runs `sh -c ulmus-server`. npm passes signals to the shell,
 * which ends without passing them on. Not for a script that puts us in the background: that shell ends by itself.
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
