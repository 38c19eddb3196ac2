/** Pages of the web interface, compared with the JSON of their content. */
import { setTimeout as delay } from 'node:timers/promises'
import { cursorAfter } from '@ulmus/client'
import type { Bench, Benchmark } from '../bench.ts'
import { latenciesOf, type Question } from '../latencies.ts'
import { idAt, recordType } from '../records.ts'
import type { Served } from '../served.ts'
import type { StagePlace } from '../stage.ts'

/** Records per page of the table, and of the JSON beside it. */
const recordsAPage = 50
const manyConnections = 16

/** A screen of prose, a table and code, as in usual collections. */
const readme = `# Items

Things that are sold, with their makers and prices. **Prices** are in euro, without tax; \`stock\` is what was counted last.

## How it is made

${'Every night the shop sends what changed during the day, and whatever left its shelves is removed. '.repeat(6)}

| field | says |
|---|---|
${['name', 'sku', 'category', 'price', 'stock', 'maker'].map((field) => `| \`${field}\` | what the shop says of it |`).join('\n')}

\`\`\`python
import json, urllib.request
\`\`\`
`

const pageOf = (ref: string, below = ''): string => `/${ref}${below}`
const jsonOf = (ref: string, below = ''): string => `/api/collections/${ref}${below}`
const jsonRecords = (ref: string): string =>
  jsonOf(ref, `/versions/latest/records?type=${recordType}&limit=${recordsAPage}`)
/** A cursor between a third and two thirds of the order of ids. */
const anywhere = (): string => cursorAfter(recordType, idAt(0.3 + Math.random() * 0.4))

const at = (path: string): Question => ({ path: () => path })

/** Questions asked in turn. Those of `small` concern 1,000 records, on the same server at the same time. */
function questionsOf({ big, small, key }: { big: string; small: string; key: string }) {
  const records = `/records/${recordType}`
  const few = {
    'overview page': at(pageOf(big)),
    'overview as JSON': at(jsonOf(big)),
    'records page': at(pageOf(big, records)),
    'records as JSON': at(jsonRecords(big)),
  }
  const headers = { authorization: `Bearer ${key}` }
  const more = {
    "overview page, a member's": { ...at(pageOf(big)), headers },
    'records page in the middle': { path: () => `${pageOf(big, records)}?after=${anywhere()}` },
    'records page in the middle, 1,000 records beside it': {
      path: () => `${pageOf(small, records)}?after=${anywhere()}`,
    },
    'records in the middle as JSON': { path: () => `${jsonRecords(big)}&after=${anywhere()}` },
  }
  return { few, all: { ...few, ...more } }
}

/** Asks for column profiles, which only small collections show unasked: else the pages compared would not show the same. */
async function isProfiled(served: Served, path: string): Promise<void> {
  for (const until = performance.now() + 300_000; performance.now() < until; await delay(500))
    if ((await (await served.ask(path)).text()).includes('<tr class="profiles">')) return
  throw new Error('The column profiles are not computed after five minutes.')
}

async function measure(bench: Bench, place: StagePlace): Promise<void> {
  const stage = await bench.stage(place)
  const { served, big, small } = stage
  stage.head = (await served.client.metadata.patch(big, { readme })).semver
  await isProfiled(served, pageOf(big, `/records/${recordType}?profiles`))
  const { few, all } = questionsOf({ big, small, key: served.key })
  const alone = await latenciesOf(served.url, all, { connections: 1 })
  for (const [quantity, ms] of Object.entries(alone)) bench.figures.add(quantity, 'ms', place, ms)
  const beside = await latenciesOf(served.url, few, { connections: manyConnections })
  for (const [quantity, ms] of Object.entries(beside))
    bench.figures.add(`${quantity}, ${manyConnections} at once`, 'ms', place, ms)
}

export const pages: Benchmark = {
  name: 'pages',
  about: `pages of the web interface beside the JSON that they show, warm, with 1 and ${manyConnections} connections`,
  sizes: 'every',
  ours: measure,
}
