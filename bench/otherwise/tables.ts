/**
 * Conventional design as contender: records by hash, and one membership row per record and version. Each step is the simplest statement
 * that does the work, in one transaction. Hashes that a client would compute are given.
 */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import pg from 'pg'
import { writeCopyFile } from '../inputs.ts'
import { type Sample, sampleOf, timed } from '../measure.ts'
import { changedNumbers, idAt, recordType } from '../records.ts'

const schema = `
  create table versions (id integer primary key, metadata jsonb not null, digest text);
  create table records (
    hash text collate "C" primary key, type text collate "C" not null, id text collate "C" not null, data jsonb not null);
  create table membership (
    version integer not null, type text collate "C" not null, id text collate "C" not null, hash text collate "C" not null,
    primary key (version, type, id));
  create unlogged table incoming (hash text collate "C", type text collate "C", id text collate "C", data jsonb)`

/** Digest over the ordered hashes, like a view's digest. */
const digestOf = (version: string) => `(
  select encode(sha256(convert_to(string_agg(hash, '' order by type, id), 'UTF8')), 'hex')
  from membership where version = ${version})`

const copyMembership = `insert into membership select $2::integer, type, id, hash from membership where version = $1`

export class Tables {
  readonly size: number
  readonly #client: pg.Client
  readonly #folder: string
  /** The newest version. */
  #head = 0
  /** Two versions that differ in 1 %. */
  #changed: [number, number] | undefined

  private constructor(client: pg.Client, folder: string, size: number) {
    this.#client = client
    this.#folder = folder
    this.size = size
  }

  /** Creates empty tables in a new database. */
  static async open(options: { url: string; folder: string; size: number }): Promise<Tables> {
    const client = new pg.Client({ connectionString: options.url })
    await client.connect()
    await client.query(schema)
    return new Tables(client, options.folder, options.size)
  }

  async close(): Promise<void> {
    await this.#client.end()
  }

  /** True if there is a first version. */
  get isLoaded(): boolean {
    return this.#head > 0
  }

  /** Loads all records into both tables by `COPY`, several times; the last result is kept. Milliseconds. */
  async load(runs: number): Promise<Sample> {
    const path = join(this.#folder, `copy-${this.size}`)
    await writeCopyFile(path, range(this.size), 0)
    const times: number[] = []
    for (let run = 0; run < runs; run++) {
      await this.#client.query('truncate versions, records, membership')
      const { ms } = await timed(() =>
        this.#inTransaction(async () => {
          await this.#client.query(`copy records (hash, type, id, data) from '${path}'`)
          await this.#client.query('insert into membership select 1, type, id, hash from records')
          await this.#client.query(`insert into versions values (1, '{}', ${digestOf('1')})`)
        }),
      )
      times.push(ms)
    }
    rmSync(path)
    this.#head = 1
    await this.#settle()
    return sampleOf(times)
  }

  /** Size of both tables with their indices. Bytes. */
  async bytes(): Promise<number> {
    const { rows } = await this.#client.query(
      `select (pg_total_relation_size('records') + pg_total_relation_size('membership'))::float8 as bytes`,
    )
    return rows[0].bytes
  }

  /** A metadata update: copies all memberships, computes both digests. Milliseconds and bytes of each. */
  patch = (runs: number) =>
    this.#versions(runs, async (from, to) => {
      await this.#client.query(copyMembership, [from, to])
      const digests = `${digestOf('$1')} || ${digestOf('$1')}`
      await this.#client.query(`insert into versions values ($1, '{"revision": 1}', ${digests})`, [to])
    })

  /** A fork: copies all memberships; the digest is the source's. */
  fork = (runs: number) =>
    this.#versions(runs, async (from, to) => {
      await this.#client.query(copyMembership, [from, to])
      await this.#client.query(
        'insert into versions select $2::integer, metadata, digest from versions where id = $1',
        [from, to],
      )
    })

  /** A push of 1 % scattered changes: loads them, and writes a membership for every record of the new version. */
  async pushChanges(runs: number): Promise<{ ms: Sample; bytes: Sample }> {
    const path = join(this.#folder, `copy-${this.size}-changes`)
    const made = await this.#versions(
      runs,
      async (from, to) => {
        await this.#client.query(`copy incoming from '${path}'`)
        // Without statistics the planner assumes an empty table, and sometimes joins a million rows by a nested loop.
        await this.#client.query('analyze incoming')
        await this.#client.query('insert into records table incoming on conflict do nothing')
        await this.#client.query(
          `insert into membership select $2::integer, m.type, m.id, coalesce(i.hash, m.hash)
           from membership m left join incoming i using (type, id) where m.version = $1`,
          [from, to],
        )
        await this.#client.query('delete from incoming')
        await this.#client.query(`insert into versions values ($1, '{}', ${digestOf('$1')})`, [to])
      },
      async (run) => writeCopyFile(path, changedNumbers(this.size, 'scattered', run + 1), run + 1),
    )
    rmSync(path)
    this.#changed = [this.#head - 1, this.#head]
    return made
  }

  /** Time of a diff of versions that differ in 1 %: by hash, or with the data of both sides. Milliseconds. */
  async diff(runs: number, what: 'hashes' | 'data'): Promise<Sample> {
    const data = what === 'hashes' ? '' : ', rn.data::text as data, ro.data::text as previous'
    const joins =
      what === 'hashes'
        ? ''
        : 'left join records rn on rn.hash = n.hash left join records ro on ro.hash = o.hash'
    if (this.#changed === undefined) await this.pushChanges(1)
    const text = `
      select coalesce(n.type, o.type) as type, coalesce(n.id, o.id) as id, n.hash as hash, o.hash as former ${data}
      from (select * from membership where version = $2) n
      full join (select * from membership where version = $1) o using (type, id)
      ${joins} where n.hash is distinct from o.hash`
    return this.#times(runs, () => this.#client.query(text, this.#changed))
  }

  /** A page of 100 records in the middle. Milliseconds. */
  page = (runs: number) =>
    this.#times(
      runs,
      () =>
        this.#client.query(
          `select m.type, m.id, m.hash, r.data from membership m join records r using (hash)
           where m.version = $1 and (m.type, m.id) > ($2, $3) order by m.type, m.id limit 100`,
          [this.#head, recordType, idAt(0.3 + Math.random() * 0.4)],
        ),
      20,
    )

  /** One record by its id. Milliseconds. */
  record = (runs: number, idOfRun: () => string) =>
    this.#times(
      runs,
      () =>
        this.#client.query(
          `select m.hash, r.data from membership m join records r using (hash)
           where m.version = $1 and m.type = $2 and m.id = $3`,
          [this.#head, recordType, idOfRun()],
        ),
      20,
    )

  /** All records of the newest version in order, through a cursor. MB a second of their text. */
  async stream(runs: number): Promise<Sample> {
    const rates: number[] = []
    for (let run = 0; run < runs; run++) {
      let bytes = 0
      const { ms } = await timed(() =>
        this.#inTransaction(async () => {
          await this.#client.query(
            `declare walk no scroll cursor for
             select r.data::text as line from membership m join records r using (hash)
             where m.version = ${this.#head} order by m.type, m.id`,
          )
          for (;;) {
            const { rows } = await this.#client.query('fetch 2000 from walk')
            if (rows.length === 0) return
            for (const { line } of rows) bytes += line.length
          }
        }),
      )
      rates.push(bytes / 1e3 / ms)
    }
    return sampleOf(rates)
  }

  async #times(runs: number, work: () => Promise<unknown>, warmUp = 1): Promise<Sample> {
    for (let run = 0; run < warmUp; run++) await work()
    const times: number[] = []
    for (let run = 0; run < runs; run++) times.push((await timed(work)).ms)
    return sampleOf(times)
  }

  /** Makes versions, each based on the previous one. */
  async #versions(
    runs: number,
    make: (from: number, to: number) => Promise<void>,
    prepare: (run: number) => Promise<void> = async () => undefined,
  ): Promise<{ ms: Sample; bytes: Sample }> {
    const times: number[] = []
    const bytes: number[] = []
    for (let run = 0; run < runs; run++) {
      await prepare(run)
      const before = await this.bytes()
      const { ms } = await timed(() => this.#inTransaction(() => make(this.#head, this.#head + 1)))
      this.#head++
      times.push(ms)
      bytes.push((await this.bytes()) - before)
    }
    await this.#settle()
    return { ms: sampleOf(times), bytes: sampleOf(bytes) }
  }

  async #inTransaction(work: () => Promise<void>): Promise<void> {
    await this.#client.query('begin')
    await work()
    await this.#client.query('commit')
  }

  /** Runs the server's background work between measurements. */
  async #settle(): Promise<void> {
    await this.#client.query('vacuum analyze')
    await this.#client.query('checkpoint')
  }
}

function* range(size: number): Generator<number> {
  for (let number = 0; number < size; number++) yield number
}
