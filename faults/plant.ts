/** Deliberate violations, to check that a run finds them (`FAULTS_PLANT`). */
import { existsSync, readdirSync, truncateSync, writeFileSync } from 'node:fs'
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

/** One collection of each key that is limited to several. */
const limitsOfSeveral =
  'select key_id, min(collection_id::text)::uuid from key_collections group by key_id having count(*) > 1'

const plants: Record<string, (stage: Stage) => Promise<boolean>> = {
  async 'lost version'({ postgres }) {
    await postgres?.query(loseVersion)
    return postgres !== undefined
  },
  async 'forked log'({ postgres }) {
    const tiles = (await postgres?.count('select count(*) from log_tiles where level = 0')) ?? 0
    await postgres?.query(forkLog)
    return tiles > 0
  },
  async 'lost grants'({ postgres }) {
    const grants = (await postgres?.count('select count(*) from collaborators')) ?? 0
    await postgres?.query('delete from collaborators')
    return grants > 0
  },
  async 'lost limits'({ postgres }) {
    const limits = (await postgres?.count(`select count(*) from (${limitsOfSeveral}) limits`)) ?? 0
    await postgres?.query(`delete from key_collections where (key_id, collection_id) in (${limitsOfSeveral})`)
    return limits > 0
  },
  async 'damaged packs'({ objects }) {
    const packs = filesIn(objects, 'packs')
    for (const pack of packs) truncateSync(pack, 100)
    return packs.length > 0
  },
  async 'lost files'({ objects }) {
    const files = filesIn(objects, 'files')
    for (const file of files) writeFileSync(file, '')
    return files.length > 0
  },
}

/** All files: a single one may hold only what was erased. Empty if the folder does not exist yet. */
function filesIn(objects: string | undefined, name: string): string[] {
  if (objects === undefined || !existsSync(join(objects, name))) return []
  return readdirSync(join(objects, name), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
}

/** Returns false if there is nothing to break yet. @throws Error for an unknown name */
export async function plantIn(stage: Stage, name: string, report: Report): Promise<boolean> {
  const plant = plants[name]
  if (plant === undefined)
    throw new Error(`FAULTS_PLANT must be one of ${Object.keys(plants).join(', ')}; it is "${name}".`)
  const isPlanted = await plant(stage)
  report.say(`planted: ${name}: ${isPlanted ? 'done' : 'there is none here'}`)
  return isPlanted
}
