/**
 * Minimal server as an upper limit: Fastify with three routes, for a fixed answer, a look-up of one row, and a streamed file. Runs as its
 * own process: node bench/otherwise/raw-server.ts <fixed|server|embedded> <connection string|folder|-> <file|->
 */
import { createReadStream } from 'node:fs'
import { PGlite } from '@electric-sql/pglite'
import Fastify from 'fastify'
import pg from 'pg'

const [kind = 'fixed', where = '', file = ''] = process.argv.slice(2)
const rows = 10_000
/** Has the length of a collection's detail. */
const body = {
  id: '0194f0c4-7b1e-7cc3-98b0-5f7e3d8a1c22',
  slug: 'big',
  name: 'big',
  description: 'x'.repeat(300),
  metadata: { license: 'MIT', readme: 'y'.repeat(100) },
}
const schema = `
  create table if not exists things (id text primary key, body jsonb not null);
  insert into things select 'thing-' || n, '${JSON.stringify(body)}' from generate_series(1, ${rows}) n on conflict do nothing`
const lookUp = 'select body from things where id = $1'

async function openLookUp(): Promise<(id: string) => Promise<unknown>> {
  if (kind === 'server') {
    const pool = new pg.Pool({ connectionString: where, max: 10 })
    await pool.query(schema)
    return async (id) => (await pool.query({ name: 'look-up', text: lookUp, values: [id] })).rows[0].body
  }
  if (kind === 'embedded') {
    const database = await PGlite.create(where)
    await database.exec(schema)
    return async (id) => (await database.query<{ body: unknown }>(lookUp, [id])).rows[0]!.body
  }
  return async () => body
}

const find = await openLookUp()
const app = Fastify()
app.get('/thing', () => find(`thing-${1 + Math.floor(Math.random() * rows)}`))
app.get('/file', (_request, reply) => reply.type('application/x-ndjson').send(createReadStream(file)))
process.stdout.write(`${await app.listen({ host: '127.0.0.1', port: 0 })}\n`)
process.on('SIGTERM', () => process.exit(0))
