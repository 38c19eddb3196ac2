/** A registry with much content: searching its collections, and starting it. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import {
  collections,
  collectionWords,
  foldName,
  insertInto,
  insertOwnerWords,
  notHidden,
  wordsRow,
} from '@ulmus/storage'
import type { Benchmark } from '../bench.ts'
import { repeated, sampleOf } from '../measure.ts'
import { startRawServer } from '../otherwise/raw.ts'
import { chanceOf, phrase } from '../records.ts'
import type { Stage } from '../stage.ts'

const collectionCount = 100_000
const insertedAtOnce = 1_000
const searches = 300
const starts = 5

/** Search terms: words and parts, short and long, frequent, rare and unknown. */
function queries(): string[] {
  const chance = chanceOf(11)
  const words = Array.from({ length: 40 }, () => phrase(chance, 1).toLowerCase())
  const parts = words.map((word) => word.slice(0, 2 + Math.floor(chance() * 3)))
  return [...words, ...parts, ...['qqzx', 'the', 'a', 'of the', '99', 'e w', 'zzzzzzzz']]
}

/** Inserts directly into the tables: over HTTP it would take minutes and would not affect the search. */
async function fill({ served }: Stage): Promise<void> {
  const owner = await served.client.accounts.me()
  const none = {
    headId: null,
    headDescription: null,
    topics: [],
    forkedFromId: null,
    forkedFromSemver: null,
    ancestors: [],
  }
  const chance = chanceOf(13)
  await served.inDatabase(async (database) => {
    for (let from = 0; from < collectionCount; from += insertedAtOnce) {
      const rows = Array.from({ length: insertedAtOnce }, (_, n) => {
        const name = `${phrase(chance, 3)} ${from + n}`
        const at = new Date(Date.UTC(2026, 0, 1) + (from + n) * 1_000)
        const named = { slug: `browsed-${from + n}`, name, foldedName: foldName(name) }
        const description = `Data of ${phrase(chance, 20)}`
        const made = { description, public: true, createdAt: at, updatedAt: at }
        return {
          id: randomUUID(),
          ownerId: owner.id,
          ...named,
          ...none,
          ...made,
          newestWithdrawn: null,
          publishersOnly: false,
          ...notHidden,
          storedBytes: 0,
        }
      })
      await database.transact(async (tx) => {
        // As for a restored backup: no events, whose numbering would go on beside the searches.
        await tx.query("select set_config('ulmus.loading', 'on', true)")
        await tx.query(...insertInto(collections, rows))
        await tx.query(...insertInto(collectionWords, rows.map(wordsRow)))
        await insertOwnerWords(tx, owner.id, owner)
      })
    }
    // Autovacuum of a server would have done this within a minute; an embedded database has none.
    if (database.kind === 'server') await database.query('vacuum analyze')
  })
}

export const browse: Benchmark = {
  name: 'browse',
  about: `browsing with q, and searching, over ${collectionCount.toLocaleString('en')} public collections`,
  sizes: 'largest',
  async ours(bench, place) {
    const stage = await bench.stage(place)
    await fill(stage)
    const asked = queries()
    const ms = await repeated({ runs: searches, warmUp: asked.length }, (run) =>
      stage.served.json(`/api/collections?q=${encodeURIComponent(asked[run % asked.length]!)}`),
    )
    bench.figures.add('browse with q', 'ms', place, ms)
    for (const [name, words] of [
      ['search', asked],
      ['search for what all have', ['data', 'browsed', 'd', 'data of']],
      ['search for two words', asked.slice(0, 40).map((word, index) => `${word} ${asked[index + 1]}`)],
    ] as const) {
      const searched = await repeated({ runs: searches, warmUp: words.length }, (run) =>
        stage.served.json(`/api/collections?search=${encodeURIComponent(words[run % words.length]!)}`),
      )
      bench.figures.add(name, 'ms', place, searched)
    }
  },
}

export const startUp: Benchmark = {
  name: 'start-up',
  about: 'start-up on existing data, to /readyz',
  sizes: 'largest',
  async ours(bench, place) {
    const { served } = await bench.stage(place)
    const times: number[] = []
    for (let run = 0; run < starts; run++) times.push(await served.restart())
    bench.figures.add('start-up', 'ms', place, sampleOf(times))
  },
  async otherwise(bench, size) {
    const ms = await repeated({ runs: starts, warmUp: 1 }, async () => {
      await (await startRawServer('embedded', join(bench.folder, 'look-ups'))).stop()
    })
    bench.figures.add('start-up', 'ms', { by: 'raw', size }, ms)
  },
}
