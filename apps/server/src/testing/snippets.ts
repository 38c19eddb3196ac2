/** Code blocks of a document, and a shell that runs them in order in one folder, as a reader would. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')

export interface Snippet {
  /** Language in the block's fence, such as `sh`; empty if there is none. */
  readonly language: string
  readonly text: string
}

/** @param document a path from the root of the repository */
export function snippetsOf(document: string): Snippet[] {
  const markdown = readFileSync(join(root, document), 'utf8')
  return [...markdown.matchAll(/^```(\w*)\n(.*?)^```$/gms)].map(([, language = '', text = '']) => ({
    language,
    text,
  }))
}

export interface Ran {
  readonly code: number | null
  /** Standard output and error, in order. */
  readonly out: string
}

/**
 * Runs blocks in one shell, so that they share exported variables. The first failing command, such as a request that the server refuses,
 * ends it. Blocks name a registry at 127.0.0.1:4000, which is replaced by `url`. `npm` and `npx` are those of the repository.
 */
export async function runShell(
  blocks: readonly string[],
  place: { folder: string; url: string },
): Promise<Ran> {
  const script = `
    set -euo pipefail
    curl() { command curl -sS --fail-with-body "$@"; echo; }
    npm() { (cd "$ROOT" && if [ "$*" = "run demo" ]; then command npm run demo -- --url "$URL"; else command npm "$@"; fi); }
    npx() { (cd "$ROOT" && command npx --no-install "$@"); }
    set -x
    ${blocks.join('\n').replaceAll('127.0.0.1:4000', new URL(place.url).host)}`
  return run('bash', ['-c', script], { cwd: place.folder, env: { ROOT: root, URL: place.url } })
}

/** Runs a program and waits for its exit. @param at.env changes to this process's environment; undefined removes a variable */
export async function run(
  command: string,
  parameters: readonly string[],
  { cwd, env = {} }: { cwd: string; env?: Record<string, string | undefined> },
): Promise<Ran> {
  const child = spawn(command, parameters, {
    cwd,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let out = ''
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      out += text
    })
  }
  const [code] = await once(child, 'close')
  return { code: code as number | null, out }
}

/** The first of some programs that runs with these parameters. Returns undefined if there is none; throws if `CI` is set. */
export async function firstThatRuns(
  programs: readonly string[],
  parameters: readonly string[],
): Promise<string | undefined> {
  for (const program of programs) {
    const ran = await run(program, parameters, { cwd: root }).catch(() => undefined)
    if (ran?.code === 0) return program
  }
  if (process.env['CI'] === 'true')
    throw new Error(`${programs.join(', ')} cannot run ${parameters.join(' ')}.`)
  return undefined
}
