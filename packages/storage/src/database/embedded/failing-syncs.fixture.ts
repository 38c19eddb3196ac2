/** Preloaded by every thread of a process: its disk fails to sync once the file named by `FAIL_SYNCS_WHERE` exists. */
import fs, { existsSync } from 'node:fs'
import { syncBuiltinESMExports } from 'node:module'

const sync = fs.fsyncSync
fs.fsyncSync = (descriptor) => {
  if (existsSync(process.env['FAIL_SYNCS_WHERE']!))
    throw Object.assign(new Error('EIO: i/o error, fsync'), { code: 'EIO' })
  sync(descriptor)
}
syncBuiltinESMExports()
