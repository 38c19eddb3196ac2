/**
 * Pages beside the JSON that they show, by turns: warm, one connection and sixteen. Against a registry that `npm run demo` has published to.
 * Usage: node bench/pages.ts [--url http://127.0.0.1:4000] [--seconds 5]
 */
import { Agent, get } from 'node:http'
import { parseArgs } from 'node:util'

const { values } = parseArgs({
  options: {
    url: { type: 'string', default: 'http://127.0.0.1:4000' },
    seconds: { type: 'string', default: '5' },
  },
})
const api = '/api/collections/mercator/cities'
const pairs = [
  ['overview', '/mercator/cities', api],
  ['version', '/mercator/cities/v/v1.0.0', `${api}/versions/v1.0.0`],
  ['records', '/mercator/cities/records/City', `${api}/versions/latest/records?type=City&limit=50`],
  ['record', '/mercator/cities/records/Country/NOR', `${api}/versions/latest/records/Country/NOR`],
  ['compare', '/mercator/cities/compare/v1.0.0...v1.1.0', `${api}/versions/v1.1.0/diff?from=v1.0.0&limit=50`],
] as const

/** One request, read to its end. Milliseconds. */
const ask = (path: string, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    get(new URL(path, values.url), { agent }, (answer) => {
      answer.resume().on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - from)
        else reject(new Error(`${path}: ${answer.statusCode}`))
      })
    }).on('error', reject)
  })

/** As many requests as so many connections take in some seconds, after one that warms. */
async function timesOf(path: string, connections: number): Promise<number[]> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  await ask(path, agent)
  const until = performance.now() + Number(values.seconds) * 1_000
  const times: number[] = []
  const one = async () => {
    while (performance.now() < until) times.push(await ask(path, agent))
  }
  await Promise.all(Array.from({ length: connections }, one))
  agent.destroy()
  return times.sort((a, b) => a - b)
}

const at = (times: readonly number[], part: number) => times[Math.floor(times.length * part)]!.toFixed(1)

for (const connections of [1, 16]) {
  for (const [name, page, json] of pairs) {
    const [html, data] = [await timesOf(page, connections), await timesOf(json, connections)]
    process.stdout.write(
      `${name}, ${connections} at once: page p50 ${at(html, 0.5)} p99 ${at(html, 0.99)} ms, JSON p50 ${at(data, 0.5)} p99 ${at(data, 0.99)} ms\n`,
    )
  }
}
