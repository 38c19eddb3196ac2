/**
 * Random valid and hostile requests to every operation in the API description. No request may cause a defect or a hang, and each answer
 * must match its description.
 *
 * `FUZZ_SEED` repeats a run, `FUZZ_REQUESTS` sets its length, `FUZZ_FROM` skips its beginning; `npm run test:fuzz` is a long run.
 */
import { Writable } from 'node:stream'
import { anyDatabase, databases } from '@ulmus/storage/testing'
import { expect, test } from 'vitest'
import { inAccount } from './routes/permissions.account-table.ts'
import { fuzz } from './testing/fuzz/fuzz.ts'
import { trustedJobs } from './testing/jobs.ts'
import { serveForTest } from './testing/serve.ts'

const { FUZZ_SEED, FUZZ_REQUESTS, FUZZ_FROM, FUZZ_DATABASE } = process.env
const requests = Number(FUZZ_REQUESTS ?? 2_000)
const from = Number(FUZZ_FROM ?? 0)
const seed = Number(FUZZ_SEED ?? Math.floor(Math.random() * 2 ** 31))
const chosen =
  FUZZ_DATABASE === undefined ? anyDatabase : databases.filter(({ name }) => name === FUZZ_DATABASE)

const ofOperators = new Set(
  Object.values(inAccount).find(({ operations }) => operations.includes('getUsage'))!.operations,
)
/** Limit of checking schemas and records on a busy machine. Milliseconds. */
const boundMs = 20_000

test.each(chosen)(
  'no made-up request meets a defect, on $name',
  { timeout: 120_000 + requests * 60 },
  async ({ settings }) => {
    const { settings: where, dispose } = await settings()
    const errors: string[] = []
    const logTo = new Writable({
      write(line, _encoding, done) {
        errors.push(String(line))
        done()
      },
    })
    const jobs = await trustedJobs()
    const server = await serveForTest(where, {
      logLevel: 'error',
      logTo,
      trustedIssuersFile: jobs.file,
      // Webhooks may be made, but their requests end here.
      outside: { allow: '' },
      outsideProxy: 'http://127.0.0.1:1',
    })
    try {
      const report = await fuzz(server, { seed, requests, from, boundMs })
      const again = `FUZZ_SEED=${seed} FUZZ_REQUESTS=${requests}`
      // No caller is an operator, because one could suspend or erase the others. No token and no device login is confirmed.
      const impossible = [...ofOperators, 'exchangeToken', 'finishDeviceLogin']
      const possible = report.operations.filter((id) => !impossible.includes(id))
      const never = possible.filter((id) => !report.succeeded.has(id))
      process.stderr.write(
        `${again}: ${report.sent} requests, ${JSON.stringify(report.statuses)}, slowest ${Math.round(report.slowest)} ms: ${report.slowestRequest}\nNever with success: ${never.join(', ')}\n`,
      )
      expect(report.faults, again).toEqual([])
      expect(errors.slice(0, 5), `${again}: what the server logged as an error`).toEqual([])
      expect(report.sent).toBeGreaterThanOrEqual(requests - from)
      if (from > 0) return
      // Otherwise the run would test only refusals.
      expect(never.length, `${again}: ${never}`).toBeLessThan(possible.length / 3)
    } finally {
      await server.close()
      await dispose()
      jobs.end()
    }
  },
)
