/** Refusal of root where another account keeps its files: it could not open those that root makes. */
import { statSync } from 'node:fs'
import { join } from 'node:path'
import { accountName } from '@ulmus/registry'
import { ConfigError } from '../variables/variables.ts'

/**
 * @param folder and, within it, folders of the stores, which may be mounted there
 * @param named the setting or argument with its value
 * @throws ConfigError if this process is root, and another account owns a folder
 */
export function refuseRoot(folder: string, named: string): void {
  if (process.geteuid?.() !== 0) return
  const owners = ['', 'database', 'objects'].map((name) => ownerOf(join(folder, name)))
  const owner = owners.find((uid) => uid !== undefined && uid !== 0)
  if (owner === undefined) return
  const name = accountName(owner)
  const account = name === String(owner) ? `'#${owner}'` : name
  throw new ConfigError(
    `${named}, belongs to the account ${name}, which could not open files that root makes there. Run this command as that account: sudo -u ${account} … (docs/install.md, "A systemd unit"). If root is to run the server, give it the folder first: chown -R root ${folder}.`,
  )
}

/** Undefined: there is no such folder. */
function ownerOf(folder: string): number | undefined {
  try {
    return statSync(folder).uid
  } catch {
    return undefined
  }
}
