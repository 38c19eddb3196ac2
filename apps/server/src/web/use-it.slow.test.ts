/** Runs the code under "Use it" on the page of a collection, if the tool is installed. */
import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { databases } from '@ulmus/storage/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { firstThatRuns, run } from '../testing/snippets.ts'
import { type Stage, setStage } from '../testing/stage.ts'

/** A Python with Polars. Neither npm nor Debian has it, so CI may lack it too: its snippet is skipped there. */
const polarsPython = process.env['POLARS_PYTHON'] ?? 'python3'
const hasPolars = spawnSync(polarsPython, ['-c', 'import polars']).status === 0

const entities: Record<string, string> = {
  '&lt;': '<',
  '&gt;': '>',
  '&amp;': '&',
  '&quot;': '"',
  '&#39;': "'",
}

describe.each([true, false])('use it, of a collection that is public: %s', (isPublic) => {
  let stage: Stage
  let folder: string
  let shown: Map<string, string>
  let token: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ulmus-use-it-'))
    stage = await setStage(databases[0]!)
    const { path } = await stage.newCollection({ public: isPublic })
    const puts = [1, 2, 3].map((n) => ({ id: `${n}`, type: 'Bird', data: { name: `Bird ${n}` } }))
    await stage.push(path, { opening: { schemas: { Bird: {} } }, puts })
    const { cookie } = await stage.server.signIn('ada')
    token = await stage.server.keyFor(cookie, 'read')
    const headers = new Headers(isPublic ? [] : [['cookie', cookie]])
    const html = await (
      await fetch(`${stage.server.url}${path.replace('/collections', '')}`, { headers })
    ).text()
    const snippets = html.matchAll(
      /<summary>([\w ]+)<\/summary>(?:<p.*?<\/p>)?<div class="code"><pre[^>]*><code>(.*?)<\/code>/gs,
    )
    shown = new Map(
      Array.from(snippets, ([, tool, code]) => [
        tool!,
        code!.replace(/&[#\w]+;/g, (sign) => entities[sign]!),
      ]),
    )
  })
  afterAll(async () => {
    await stage?.end()
    rmSync(folder, { recursive: true, force: true })
  })

  test.each([
    ['curl', ['bash'], '-c', 'true', /"id":"3"/],
    ['TypeScript', [process.execPath], '--input-type=module-typescript -e', '0', /^3 /m],
    ['Python', ['python3'], '-c', 'pass', /^3 /m],
    ['pandas', ['/usr/bin/python3', 'python3'], '-c', 'import pandas', /^3$[\s\S]*Bird 3/m],
    ['R', ['Rscript'], '-e', 'library(jsonlite)', /3 obs/],
  ])('%s', async (tool, programs, flags, needs, out) => {
    const program = await firstThatRuns(programs, [...flags.split(' '), needs])
    if (program === undefined) return
    await expectRuns(program, [...flags.split(' '), shown.get(tool)!], out)
  })

  test.skipIf(!hasPolars)('Polars', () => expectRuns(polarsPython, ['-c', shown.get('Polars')!], /Bird 3/))

  async function expectRuns(program: string, parameters: string[], out: RegExp): Promise<void> {
    const ran = await run(program, parameters, { cwd: folder, env: { ULMUS_TOKEN: token } })
    expect([ran.code, ran.out]).toEqual([0, expect.stringMatching(out)])
  }

  test('every tool that it promises is there', () => {
    expect([...shown.keys()]).toEqual(
      expect.arrayContaining([
        ...['curl', 'Command line', 'TypeScript', 'Python', 'pandas', 'Polars', 'R', 'DuckDB'],
        ...['BibTeX', 'RIS'],
      ]),
    )
  })
})
