/** Child process that puts an endless blob, and reports when its first megabytes are on disk. */
import { setTimeout } from 'node:timers/promises'
import { openDiskStore } from './store.ts'

const [folder, name] = process.argv.slice(2) as [string, string]
const store = await openDiskStore(folder)

async function* endless() {
  for (let i = 0; ; i++) {
    yield Buffer.alloc(65_536, i)
    if (i === 40) process.stdout.write('under way\n')
    if (i > 40) await setTimeout(10)
  }
}
await store.put(name, endless())
