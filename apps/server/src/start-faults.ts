/** Sentences for what keeps the server or a command of it from its work, and what the operator can do about it. */
import { existsSync, readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  accountName,
  BucketUnusableError,
  DatabaseUnfitError,
  FolderInUseError,
  findClosedAbove,
  isUnavailable,
  LogKeyUnfitError,
  SecretsKeyUnfitError,
  StorageFullError,
  StoresUnfitError,
  StoreUnavailableError,
  tlsReason,
} from '@ulmus/registry'
import { hostWayOut } from './variables/host-settings.ts'
import { ConfigError, passwordEscapes } from './variables/variables.ts'

/** Errors whose message is such a sentence. */
const sayAll = [
  ...[ConfigError, FolderInUseError, BucketUnusableError, DatabaseUnfitError, StoresUnfitError],
  ...[StorageFullError, SecretsKeyUnfitError, LogKeyUnfitError],
]

/**
 * @param command of `ulmus-server`
 * @param dataDir value of DATA_DIR
 * @returns undefined for a defect
 */
export function sentenceOf(error: unknown, command: string, dataDir: string | undefined): string | undefined {
  if (error instanceof FolderInUseError && command !== 'start')
    return `The data folder ${error.folder} is in use by ${error.holder}, and an embedded database has one user at a time. Stop the server, run this command again, then start the server.`
  if (sayAll.some((kind) => error instanceof kind)) return (error as Error).message
  const { code, message, address, port, syscall, path } = error as NodeJS.ErrnoException & {
    address?: string
    port?: number
  }
  if (syscall === 'listen') {
    const at = `${address}:${port}`
    if (code === 'EADDRINUSE')
      return `${at} is in use by another program. Stop it, or set PORT to another port.`
    if (code === 'EACCES')
      return `This account may not listen on ${at}. Set PORT to 1024 or more, or grant the privilege.`
    return `The server cannot listen on ${at}: ${message}.`
  }
  if (error instanceof StoreUnavailableError)
    return `${error.message.replace(/\.$/, '')}${error.message.endsWith('?') ? '' : '.'} Is the store running, and S3_ENDPOINT right?`
  if (isUnavailable(error))
    return `The database at DATABASE_URL cannot be reached: ${tlsReason(lastCause(error).message, 'it does not speak TLS')}. Start PostgreSQL there, or correct host and port (in a password, ${passwordEscapes}).`
  // Problems with files outside the data folder are defects of ours.
  const dataFolder = resolve(dataDir?.trim() || './data')
  // A folder above it, if several are missing.
  const isAbove = path !== undefined && dataFolder.startsWith(`${path}/`)
  if ((isAbove || path?.startsWith(dataFolder)) && ['EACCES', 'EPERM'].includes(code ?? '')) {
    const closed = findClosedAbove(dataFolder)
    const account = accountName()
    if (closed !== undefined)
      return `DATA_DIR, ${dataFolder}, cannot be used: the account ${account} may not enter ${closed}. Set it to a folder elsewhere, such as /var/lib/ulmus, or let the account into ${closed}.`
    return `DATA_DIR, ${dataFolder}, cannot be used: ${message}. ${wayIntoFolder(dataFolder, account)}`
  }
  if (path?.startsWith(dataFolder) || code === 'ENOSPC')
    return `DATA_DIR, ${dataFolder}, cannot be used: ${message}. Set it to a folder that this account may write to.`
  return undefined
}

/** Advises no `chown -R` of a folder with files of others, such as /etc. */
function wayIntoFolder(folder: string, account: string): string {
  const other = `Set it to a folder that the account ${account} may write to`
  if (!existsSync(folder)) return `${other}, or make this one: as root, install -d -o ${account} ${folder}.`
  const isOwn = isEmptyOrOurs(folder)
  return isOwn
    ? `${other}, or give it this one: as root, chown -R ${account} ${folder}.`
    : `${other}, and that has no files of others, such as /var/lib/ulmus.`
}

/** True for an empty folder, or one with a registry. False also if it cannot be read. */
function isEmptyOrOurs(folder: string): boolean {
  try {
    const names = readdirSync(folder)
    return names.length === 0 || names.some((name) => ['database', 'objects'].includes(name))
  } catch {
    return false
  }
}

function lastCause(error: unknown): Error {
  const { cause, errors } = error as { cause?: unknown; errors?: unknown[] }
  const deeper = cause ?? errors?.[0]
  return deeper === undefined ? (error as Error) : lastCause(deeper)
}

/** The error of a HOST that this machine does not have; undefined for another one. @param error of listening on `host` */
export function hostFault(host: string, error: unknown): ConfigError | undefined {
  const { code, syscall, address } = error as NodeJS.ErrnoException & { address?: string }
  const isUnknown = syscall === 'getaddrinfo'
  if (!isUnknown && code !== 'EADDRNOTAVAIL' && code !== 'EINVAL') return undefined
  const resolved = isUnknown || address === undefined || address === host ? '' : ` (${address})`
  return new ConfigError(
    `HOST is ${host}${resolved}, which is not an address ${isUnknown ? 'or a name ' : ''}of this machine (${code}). ${hostWayOut}`,
    { cause: error },
  )
}
