/**
 * Measures what the signed log costs updates and forks: a server that keeps it beside one with VERSION_LOG=off, by turns, on both databases.
 * CPU is of the servers and of PostgreSQL, with the signing that follows. Prints a table row for each.
 * Usage: node bench/version-log.ts [--rounds 10 --runs 50]
 */
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { signerOf, skeyOf } from '@ulmus/content/log'
import { startPostgres } from '@ulmus/storage/testing/postgres'
import { repeated, sampleOf } from './measure.ts'
import { cpuByPart } from './processes.ts'
import { Served } from './served.ts'

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '10' }, runs: { type: 'string', default: '50' } },
})
const rounds = Number(values.rounds)
const runs = Number(values.runs)
/** The log is signed every second. Milliseconds. */
const signedAfter = 2_500
const ref = 'bencher/logged'
const folder = mkdtempSync(join(tmpdir(), 'ulmus-version-log-'))
// PostgreSQL runs as another user if this is root.
chmodSync(folder, 0o711)
const keyFile = join(folder, 'log.key')
writeFileSync(keyFile, skeyOf(signerOf('bench.example/log/1', 'ed25519', new Uint8Array(32).fill(7))))

type State = 'on' | 'off'
const states: readonly State[] = ['on', 'off']

async function opened(state: State, name: string, databaseUrl: string | undefined): Promise<Served> {
  const served = await Served.open({
    folder: join(folder, `${name}-${state}`),
    ...(databaseUrl && { databaseUrl }),
    environment: { RATE_LIMIT: 'off', VERSION_LOG: state, VERSION_LOG_KEY_FILE: keyFile },
  })
  await served.client.collections.create('bencher', { slug: 'logged', public: true })
  const records = Array.from({ length: 1_000 }, (_, n) => ({ id: `r${n}`, type: 'A', data: { n } }))
  await served.client.push(ref, { baseVersion: null, schemas: { A: {} }, records })
  return served
}

/** CPU of all children of this process. Milliseconds. */
const cpuOfChildren = (): number => {
  const parts = cpuByPart(() => 'children')
  return parts.get('children') ?? 0
}

async function compare(name: string, servers: Readonly<Record<State, Served>>): Promise<void> {
  let count = 0
  const acts = {
    update: ({ client }: Served) => client.metadata.patch(ref, { note: `n${++count}` }),
    fork: ({ client, org }: Served) =>
      client.collections.fork(ref, { targetOrg: org, slug: `fork-${++count}` }),
  }
  for (const [act, work] of Object.entries(acts)) {
    const times: Record<State, number[]> = { on: [], off: [] }
    const cpus: Record<State, number[]> = { on: [], off: [] }
    for (let round = 0; round < rounds; round++)
      for (const state of round % 2 === 0 ? states : states.toReversed()) {
        await repeated({ runs: 10 }, () => work(servers[state]))
        await new Promise((resolve) => setTimeout(resolve, signedAfter))
        const before = cpuOfChildren()
        const { median } = await repeated({ runs }, () => work(servers[state]))
        await new Promise((resolve) => setTimeout(resolve, signedAfter))
        times[state].push(median)
        cpus[state].push((cpuOfChildren() - before) / runs)
      }
    for (const [what, found] of Object.entries({ time: times, CPU: cpus })) {
      const [on, off] = states.map((state) => sampleOf(found[state]).median)
      process.stdout.write(
        `| ${act}, ${name}: ${what} with, without | ${on!.toFixed(2)}, ${off!.toFixed(2)} ms | ${(on! / off!).toFixed(3)} × |\n`,
      )
    }
  }
}

process.stdout.write('| | measured | ratio |\n|---|---:|---:|\n')
for (const name of ['PostgreSQL', 'embedded']) {
  const ends: (() => Promise<void>)[] = []
  const open = async (state: State): Promise<Served> => {
    const postgres = name === 'embedded' ? undefined : await startPostgres(join(folder, `postgres-${state}`))
    if (postgres !== undefined) ends.unshift(() => postgres.stop())
    const served = await opened(state, name, postgres?.url)
    ends.unshift(() => served.close())
    return served
  }
  try {
    await compare(name, { on: await open('on'), off: await open('off') })
  } finally {
    for (const end of ends) await end()
  }
}
rmSync(folder, { recursive: true, force: true })
