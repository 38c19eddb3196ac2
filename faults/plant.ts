/** Deliberate violations, to check that a run finds them (`FAULTS_PLANT`). */
import { type Dirent, existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Report } from './report.ts'
import type { Stage } from './stage.ts'

/** Deletes the latest version of the collection with most versions, with all references to it, as if its commit had never happened. */
const loseVersion = `
set session_replication_role = replica;
with lost as (
  delete from versions where id = (
    select latest.id from versions latest join collections on collections.head_id = latest.id
    where latest.base_semver is not null order by latest.created_at desc limit 1
  ) returning collection_id, base_semver
)
update collections set head_id = base.id from lost join versions base on base.collection_id = lost.collection_id
  and format('v%s.%s.%s', base.major, base.minor, base.patch) = 'v' || ltrim(lost.base_semver, 'v')
  where collections.id = lost.collection_id;
`

/** Another history of the log. */
const forkLog = 'update log_tiles set hashes = set_byte(hashes, 5, 255 - get_byte(hashes, 5)) where level = 0'

const plants: Record<string, (stage: Stage) => Promise<boolean>> = {
  async 'lost version'({ postgres }) {
    await postgres?.query(loseVersion)
    return postgres !== undefined
  },
  async 'forked log'({ postgres }) {
    await postgres?.query(forkLog)
    return postgres !== undefined
  },
  async 'damaged pack'({ objects }) {
    if (objects === undefined) return false
    const pack = firstFileIn(join(objects, 'packs'))
    if (pack === undefined) return false
    truncateSync(join(pack.parentPath, pack.name), 100)
    return true
  },
  async 'lost file'({ objects }) {
    if (objects === undefined) return false
    const file = firstFileIn(join(objects, 'files'))
    if (file !== undefined) writeFileSync(join(file.parentPath, file.name), '')
    return file !== undefined
  },
}

/** Undefined if the folder contains no file, or does not exist yet. */
function firstFileIn(folder: string): Dirent | undefined {
  if (!existsSync(folder)) return undefined
  return readdirSync(folder, { recursive: true, withFileTypes: true }).find((entry) => entry.isFile())
}

/** Returns false if there is nothing to break yet. @throws Error for an unknown name */
export async function plantIn(stage: Stage, name: string | undefined, report: Report): Promise<boolean> {
  if (name === undefined) return true
  const plant = plants[name]
  if (plant === undefined)
    throw new Error(`FAULTS_PLANT must be one of ${Object.keys(plants).join(', ')}; it is "${name}".`)
  const isPlanted = await plant(stage)
  report.say(`planted: ${name}: ${isPlanted ? 'done' : 'there is none here'}`)
  return isPlanted
}
