/** Reads the files that settings name, such as keys and lists of issuers, so that all of them are refused in the same words. */
import { readFileSync, statSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { accountName, findClosedAbove } from '@ulmus/storage'

/** Far more than any of these files needs. Bytes. */
const usualBytesMax = 1_048_576

/**
 * Synchronous: it runs at a start.
 * @param fault makes the error from a clause such as "which cannot be read: there is no such file. …"
 * @throws the error that `fault` makes
 */
export function readSettingFile(
  path: string,
  fault: (what: string) => Error,
  bytesMax = usualBytesMax,
): Buffer {
  const refuse = (what: string) => fault(`which cannot be read: ${what}`)
  let found: { size: number; isFile(): boolean; isDirectory(): boolean }
  try {
    found = statSync(path)
    // A pipe could be read once, but a start reads the file twice.
    if (found.isFile() && found.size <= bytesMax) return readFileSync(path)
  } catch (error) {
    throw refuse(reasonOf(error as NodeJS.ErrnoException, path))
  }
  if (found.isFile()) throw fault(`which may have ${bytesMax} bytes; it has ${found.size}.`)
  throw refuse(
    found.isDirectory() ? 'it is a folder. Name the file in it.' : 'it is no plain file. Copy it to one.',
  )
}

function reasonOf({ code, message }: NodeJS.ErrnoException, path: string): string {
  const full = isAbsolute(path) ? '' : ` (${resolve(path)})`
  if (code === 'ENOENT' || code === 'ENOTDIR')
    return `there is no such file${full}. Correct the path, or make the file.`
  const closed = code === 'EACCES' ? findClosedAbove(resolve(path)) : undefined
  if (closed !== undefined)
    return `the account ${accountName()} may not enter ${closed}. Move the file elsewhere, or let the account into ${closed}.`
  if (code === 'EACCES' || code === 'EPERM')
    return `the account ${accountName()} may not read it${full}. Make it that account’s (chown, chmod 600).`
  return `${message}.`
}
