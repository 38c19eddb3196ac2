/**
 * Measures what work after the landing costs the pushes beside it: the strip of versions, and tables that are built ahead of readers. Pushes
 * of 100 scattered records to a type of 20,000, without this work, with one of both, and with both, by turns on one server, which restarts
 * in between. Prints Markdown for bench/meaning.md.
 * Usage: npm run bench:after-landing [-- --rounds 6 --pushes 40]
 */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { repeated, sampleOf } from './measure.ts'
import { Served } from './served.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '6' }, pushes: { type: 'string', default: '40' } },
})
const [rounds, runs] = [Number(values.rounds), Number(values.pushes)]
const [records, changed] = [20_000, 100]
const folder = mkdtempSync(join(tmpdir(), 'ulmus-after-landing-'))

/** Tables are built ahead for public collections only. */
const slugs = { private: 'quiet', public: 'read' } as const
const variants = [
  { name: 'neither', slug: slugs.private, hasStrips: false },
  { name: 'strips', slug: slugs.private, hasStrips: true },
  { name: 'tables', slug: slugs.public, hasStrips: false },
  { name: 'both', slug: slugs.public, hasStrips: true },
] as const

const schemas = {
  City: { properties: { name: { type: 'string' }, people: { type: 'integer' }, notes: { type: 'string' } } },
}
let pushes = 0
const record = (n: number) => ({
  id: `city-${n}`,
  type: 'City',
  data: { name: `City ${n}`, people: n + pushes, notes: `The city with the number ${n}. `.repeat(8) },
})

/** Rows of versions that land are complete at once, if there are no strips; none waits from the variant before. */
const arrange = (served: Served, hasStrips: boolean) =>
  served.inDatabase(async (database) => {
    const never = `create or replace function no_strip() returns trigger language plpgsql as
      $$ begin new.public_shares := ''; new.full_shares := ''; return new; end $$`
    await database.query(never)
    await database.query('drop trigger if exists no_strip on version_strips')
    await database.query(
      `update version_strips set public_shares = '', full_shares = '' where full_shares is null`,
    )
    if (!hasStrips)
      await database.query(
        'create trigger no_strip before insert on version_strips for each row execute function no_strip()',
      )
  })

const served = await Served.open({ folder: join(folder, 'data') })
try {
  const heads = new Map<string, string>()
  for (const [visibility, slug] of Object.entries(slugs)) {
    await served.client.collections.create(served.owner, { slug, public: visibility === 'public' })
    const all = Array.from({ length: records }, (_, n) => record(n))
    const { semver } = await served.client.push(`${served.owner}/${slug}`, {
      ...{ baseVersion: null, schemas, records: all },
    })
    heads.set(slug, semver)
  }
  const push = async (slug: string) => {
    pushes++
    const some = Array.from({ length: changed }, (_, n) => record((n * 197 + pushes) % records))
    const { semver } = await served.client.push(`${served.owner}/${slug}`, {
      ...{ baseVersion: heads.get(slug)!, records: some },
    })
    heads.set(slug, semver)
  }
  const found = new Map<string, number[]>()
  const ratios = new Map<string, number[]>()
  const note = (all: Map<string, number[]>, name: string, value: number) =>
    all.set(name, [...(all.get(name) ?? []), value])
  for (let round = 0; round < rounds; round++) {
    const order = round % 2 === 0 ? variants : variants.toReversed()
    const medians = new Map<string, number>()
    for (const { name, slug, hasStrips } of order) {
      await arrange(served, hasStrips)
      const { median } = await repeated({ runs, warmUp: 10 }, () => push(slug))
      medians.set(name, median)
      note(found, name, median)
    }
    for (const [name, median] of medians) note(ratios, name, median / medians.get('neither')!)
  }
  process.stdout.write(
    `| beside the work on | a push, median | ratio, lowest to highest of ${rounds} rounds |\n|---|---:|---:|\n`,
  )
  for (const { name } of variants) {
    const ratio = sampleOf(ratios.get(name)!)
    process.stdout.write(
      `| ${name} | ${sampleOf(found.get(name)!).median.toFixed(1)} ms | ${ratio.median.toFixed(3)} × (${ratio.low.toFixed(2)} to ${ratio.high.toFixed(2)}) |\n`,
    )
  }
} finally {
  await served.close()
  rmSync(folder, { recursive: true, force: true })
}
