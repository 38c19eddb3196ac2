/** First answers of the processes that a server starts for questions. */
import { timed } from '../measure.ts'
import { answerOf, readRecord } from './building.ts'
import { idOf } from './records.ts'
import { type Row, rowOf } from './report.ts'
import { postOf, spreadOf, type Version } from './turns.ts'

/** Further questions after the first. */
const warmAsks = 5

/** A question about one record, so that its own cost is small. */
const asks: Record<'asker' | 'SQL', (version: Version, n: number) => Promise<unknown>> = {
  asker: ({ served, path }, n) =>
    answerOf(served, `${path}/tables/Permit/facets?facet=status&filter=_id eq ${idOf(n)}`),
  SQL: ({ served, path }, n) =>
    served.json(`${path}/sql`, postOf(`select status from "Permit" where _id = '${idOf(n)}'`)),
}

/** Answers after a start of the server, which has answered reads and has its table. */
export async function firstAnswers(version: Version): Promise<Row[]> {
  const { served, runs, size } = version
  const times = { asker: { cold: [], warm: [] }, SQL: { cold: [], warm: [] } } as Record<
    keyof typeof asks,
    Record<'cold' | 'warm', number[]>
  >
  for (let run = 0; run < runs; run++) {
    await served.restart()
    for (let read = 0; read < 50; read++) await readRecord(version)
    for (const [kind, ask] of Object.entries(asks) as [keyof typeof asks, (typeof asks)['SQL']][])
      for (let n = 0; n <= warmAsks; n++) {
        const { ms } = await timed(() => ask(version, Math.floor(((n + 0.5) * size) / (warmAsks + 1))))
        times[kind][n === 0 ? 'cold' : 'warm'].push(ms)
      }
  }
  const row = (what: string, values: number[], budget: Row['budget'] = []) =>
    rowOf(what, { Ulmus: spreadOf(values) }, { budget })
  return [
    row('first answer of an asker, cold', times.asker.cold, [{ ms: 300 }]),
    row('the next ones', times.asker.warm, [{ ms: 20 }]),
    row('first answer of an SQL process, cold', times.SQL.cold),
    row('the next ones', times.SQL.warm),
  ]
}
