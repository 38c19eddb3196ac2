/** Git as contender: one file per record in folders of two levels, loaded by `git fast-import`, the fastest way. */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { tied } from '../children.ts'
import { chunksOf, writeLines } from '../inputs.ts'
import { diskBytes, repeated, type Sample, sampleOf, timed } from '../measure.ts'
import { changedNumbers, recordAt, textOf } from '../records.ts'

const who = 'Ben Cher <ben@example.org> 1767225600 +0000'
const branch = 'refs/heads/main'

export class GitRepository {
  readonly size: number
  readonly #folder: string
  readonly #stream: string
  #revision = 0
  #loaded = false

  private constructor(folder: string, size: number) {
    this.#folder = folder
    this.#stream = `${folder}.stream`
    this.size = size
  }

  static async open(folder: string, size: number): Promise<GitRepository> {
    return new GitRepository(folder, size)
  }

  get isLoaded(): boolean {
    return this.#loaded
  }

  /** Imports all records as the first commit of a new repository, several times; the last repository is kept. Milliseconds. */
  async load(runs: number): Promise<Sample> {
    await this.#write(numbersBelow(this.size), 0)
    const times: number[] = []
    for (let run = 0; run < runs; run++) {
      rmSync(this.#folder, { recursive: true, force: true })
      mkdirSync(this.#folder)
      this.#git('init', '--quiet', '--bare')
      times.push((await timed(() => this.#import())).ms)
    }
    rmSync(this.#stream)
    this.#loaded = true
    return sampleOf(times)
  }

  bytes = (): number => diskBytes(this.#folder)

  /** Commits with 1 % of scattered changes. Milliseconds, and bytes on disk of each. */
  async pushChanges(runs: number): Promise<{ ms: Sample; bytes: Sample }> {
    const times: number[] = []
    const bytes: number[] = []
    for (let run = 0; run < runs; run++) {
      const revision = ++this.#revision
      await this.#write(changedNumbers(this.size, 'scattered', revision), revision)
      const before = this.bytes()
      times.push((await timed(() => this.#import())).ms)
      bytes.push(this.bytes() - before)
    }
    rmSync(this.#stream)
    return { ms: sampleOf(times), bytes: sampleOf(bytes) }
  }

  /** Time of a diff of the last two commits, by hash, or as text of both sides. Milliseconds. */
  async diff(runs: number, what: 'hashes' | 'data'): Promise<Sample> {
    if (this.#revision === 0) await this.pushChanges(1)
    const format = what === 'hashes' ? '--raw' : '--patch'
    return repeated({ runs, warmUp: 1 }, async () => {
      this.#git('diff', format, '--no-renames', `${branch}~1`, branch)
    })
  }

  /** A commit of the same tree, equivalent to a metadata update. Milliseconds. */
  patch = (runs: number): Promise<Sample> =>
    repeated({ runs, warmUp: 1 }, async (run) => {
      const commit = this.#git('commit-tree', `${branch}^{tree}`, '-p', branch, '-m', `Patch ${run}`).trim()
      this.#git('update-ref', 'refs/heads/patched', commit)
    })

  /** A new branch on the last commit. Milliseconds. */
  fork = (runs: number): Promise<Sample> =>
    repeated({ runs, warmUp: 1 }, async (run) => {
      this.#git('update-ref', `refs/heads/fork-${run}`, branch)
    })

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  async #write(numbers: Iterable<number>, revision: number): Promise<void> {
    const message = `Revision ${revision}`
    const head = `commit ${branch}\ncommitter ${who}\ndata ${message.length}\n${message}\n`
    const from = revision === 0 ? '' : `from ${branch}^0\n`
    const files = chunksOf(numbers, (number) => {
      const { id, canonical } = textOf(recordAt(number, revision))
      const [, first, second, rest] = /^it-(..)(..)(.+)$/.exec(id)!
      return `M 100644 inline ${first}/${second}/${rest}.json\ndata ${Buffer.byteLength(canonical)}\n${canonical}\n`
    })
    await writeLines(this.#stream, prefixed(head + from, files))
  }

  async #import(): Promise<void> {
    const input = openSync(this.#stream, 'r')
    const importer = tied(
      spawn('git', ['fast-import', '--quiet', '--force'], {
        cwd: this.#folder,
        stdio: [input, 'ignore', 'inherit'],
        env: quietEnvironment(),
      }),
    )
    const [code] = await once(importer, 'exit')
    closeSync(input)
    if (code !== 0) throw new Error(`git fast-import ended with code ${code}.`)
  }

  #git(...args: string[]): string {
    return execFileSync('git', args, {
      cwd: this.#folder,
      encoding: 'utf8',
      maxBuffer: 2 ** 30,
      env: quietEnvironment(),
    })
  }
}

/** No user configuration, a fixed author. */
function quietEnvironment(): NodeJS.ProcessEnv {
  const someone = ['AUTHOR', 'COMMITTER'].flatMap((role) => [
    [`GIT_${role}_NAME`, 'Ben Cher'],
    [`GIT_${role}_EMAIL`, 'ben@example.org'],
  ])
  return {
    PATH: process.env['PATH'],
    HOME: join('/', 'nonexistent'),
    GIT_CONFIG_NOSYSTEM: '1',
    ...Object.fromEntries(someone),
  }
}

function* prefixed(text: string, chunks: Iterable<{ text: string; lines: number }>) {
  yield { text, lines: 0 }
  yield* chunks
}

function* numbersBelow(size: number): Generator<number> {
  for (let number = 0; number < size; number++) yield number
}
