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
/** A Python with pandas 2 and pyarrow, which Debian lacks: CI has one for the verdicts of docs/design. */
const { PANDAS_PYTHON, VERDICTS_VENV } = process.env
const pandasPython =
  PANDAS_PYTHON ?? (VERDICTS_VENV === undefined ? 'python3' : join(VERDICTS_VENV, 'bin/python'))
const hasParquet =
  spawnSync(pandasPython, ['-c', 'import pandas, pyarrow; assert pandas.__version__ >= "2"']).status === 0
const hasR = spawnSync('Rscript', ['-e', '0']).status === 0
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
  let cookies: Headers
  /** Path of the collection's pages. */
  let place: string

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'ulmus-use-it-'))
    stage = await setStage(databases[0]!)
    const { path } = await stage.newCollection({ public: isPublic })
    const schemas = { Bird: { properties: { name: { type: 'string' } } } }
    const puts = [1, 2, 3].map((n) => ({ id: `${n}`, type: 'Bird', data: { name: `Bird ${n}` } }))
    await stage.push(path, { opening: { schemas }, puts })
    const { cookie } = await stage.server.signIn('ada')
    token = await stage.server.keyFor(cookie, 'read')
    cookies = new Headers(isPublic ? [] : [['cookie', cookie]])
    place = path.replace('/collections', '')
    const html = await (await fetch(`${stage.server.url}${place}`, { headers: cookies })).text()
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
    ['R', ['Rscript'], '-e', '0', /3 obs/],
  ])('%s', async (tool, programs, flags, needs, out) => {
    const program = await firstThatRuns(programs, [...flags.split(' '), needs])
    if (program === undefined) return
    await expectRuns(program, [...flags.split(' '), shown.get(tool)!], out)
  })

  test.skipIf(!hasPolars)('Polars', () => expectRuns(polarsPython, ['-c', shown.get('Polars')!], /Bird 3/))

  test.skipIf(!hasParquet)('pandas, a whole table and a part of it', async () => {
    await expectRuns(pandasPython, ['-c', shown.get('pandas')!], /Bird 3/)
    await expectRuns(pandasPython, ['-c', `${await resultCode('pandas')}\nprint(table)`], /Bird 3/)
    const part = await resultCode('pandas', '?columns=name')
    await expectRuns(pandasPython, ['-c', `${part}\nprint(list(table.itertuples()))`], /_1='3'.*Bird 3/)
  })

  test.skipIf(!hasR)('R, a table', async () =>
    expectRuns('Rscript', ['-e', `${await resultCode('R')}\nstr(table)`], /_id *: chr/),
  )

  /** Code of the menu *Use* on the page of records. */
  async function resultCode(tool: string, query = ''): Promise<string> {
    const html = await (
      await fetch(`${stage.server.url}${place}/records/Bird${query}`, { headers: cookies })
    ).text()
    const [, code = ''] =
      new RegExp(`<h2>${tool}</h2><div class="code"><pre[^>]*><code>(.*?)</code>`, 's').exec(html) ?? []
    return code.replace(/&[#\w]+;/g, (sign) => entities[sign]!)
  }

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
