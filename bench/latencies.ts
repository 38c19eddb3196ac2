/** Measures latencies of requests in turn, on several connections at once. */
import { Agent, type OutgoingHttpHeaders, request } from 'node:http'
import { type Sample, sampleOf } from './measure.ts'

export interface Question {
  /** Path and query; called for each request. */
  path(): string
  readonly headers?: OutgoingHttpHeaders
}

export interface Turns {
  readonly connections: number
  /**
   * Number of rounds, and milliseconds per turn. Each round gives every question one turn, so that all meet the same conditions of the
   * machine.
   */
  readonly rounds?: number
  readonly ms?: number
}

/** Chromium's header: pages and JSON are compressed as for browsers. */
const accepted = 'gzip, deflate, br, zstd'

/**
 * Milliseconds from a request to the end of its answer, by the names of the questions. The first turns are warm-up and not counted.
 * @throws Error if an answer is not 200
 */
export async function latenciesOf<Name extends string>(
  url: string,
  questions: Readonly<Record<Name, Question>>,
  { connections, rounds = 4, ms = 400 }: Turns,
): Promise<Record<Name, Sample>> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const names = Object.keys(questions) as Name[]
  const times = new Map<Name, number[]>(names.map((name) => [name, []]))
  try {
    for (let round = 0; round <= rounds; round++) {
      for (const name of names) {
        const taken = await oneTurn(url, questions[name], agent, { connections, ms })
        if (round > 0) times.get(name)!.push(...taken)
      }
    }
  } finally {
    agent.destroy()
  }
  return Object.fromEntries(names.map((name) => [name, sampleOf(times.get(name)!)])) as Record<Name, Sample>
}

async function oneTurn(
  url: string,
  question: Question,
  agent: Agent,
  { connections, ms }: Required<Pick<Turns, 'connections' | 'ms'>>,
): Promise<number[]> {
  const until = performance.now() + ms
  const times: number[] = []
  const ask = async () => {
    do times.push(await oneAnswer(new URL(question.path(), url), question.headers ?? {}, agent))
    while (performance.now() < until)
  }
  await Promise.all(Array.from({ length: connections }, ask))
  return times
}

const oneAnswer = (url: URL, headers: OutgoingHttpHeaders, agent: Agent): Promise<number> =>
  new Promise((resolve, reject) => {
    const from = performance.now()
    request(url, { agent, headers: { 'accept-encoding': accepted, ...headers } }, (answer) => {
      answer.on('error', reject).on('end', () => {
        if (answer.statusCode === 200) resolve(performance.now() - from)
        else reject(new Error(`${url.pathname}: ${answer.statusCode}`))
      })
      answer.resume()
    })
      .on('error', reject)
      .end()
  })
