/**
 * Tells systemd (`Type=notify`) that the server is ready or ends. Node has no sockets for datagrams in the file system, so the command of
 * systemd sends the message; the unit must accept it from a child (`NotifyAccess=all`).
 */
import { execFile } from 'node:child_process'

/** Time for one message, so that a stuck command delays no end. Milliseconds. */
const millisecondsMax = 2_000

/**
 * Resolves when the message is sent. A failure is logged: systemd then ends the start when its time is up.
 * @param socket `NOTIFY_SOCKET` of the environment; undefined: the server was started otherwise
 */
export function notifyServiceManager(
  socket: string | undefined,
  state: 'READY=1' | 'STOPPING=1',
  log: { warn(facts: object, line: string): void },
): Promise<void> {
  if (socket === undefined) return Promise.resolve()
  return new Promise((resolve) => {
    execFile('systemd-notify', [state], { timeout: millisecondsMax }, (err) => {
      if (err) log.warn({ err }, `systemd-notify could not send ${state}.`)
      resolve()
    })
  })
}
