/** Loaded by every thread of a process before anything else: its disk fails to sync as soon as `FAIL_SYNCS_WHERE` names a file. */
import fs, { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const sync = fs.fsyncSync
fs.fsyncSync = (descriptor) => {
  if (existsSync(process.env['FAIL_SYNCS_WHERE']!))
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  sync(descriptor)
}
syncBuiltinESMExports()
