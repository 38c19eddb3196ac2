/** What docs/operations.md and the systemd unit say of the server is so. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { read, root } from './source-files.ts'

const page = read('docs/operations.md')
const unit = read('deploy/ulmus.service')
const namesIn = (text: string, pattern: RegExp): string[] =>
  [...new Set(Array.from(text.matchAll(pattern), ([, name]) => name!))].sort()
const settingOf = (name: string): string => new RegExp(`^${name}=(.*)$`, 'm').exec(unit)![1]!

test('the page has every metric of ours, and no other', () => {
  const measured = namesIn(read('apps/server/src/plugins/metrics.ts'), /'((?:ulmus|http)_[a-z_]+)'/g)
  expect(measured.length).toBeGreaterThan(5)
  expect(
    namesIn(page, /^\| `((?:ulmus|http)_[a-z_]+)` \|/gm),
    'Keep the table of metrics in docs/operations.md.',
  ).toEqual(measured)
})

test('the page has every event of the log, and no other', () => {
  const told = namesIn(read('packages/registry/src/monitoring/event-log.ts'), /^ {2}([a-z_]+): '/gm)
  expect(told.length).toBeGreaterThan(5)
  const [, table = ''] = /^\| `event` \|.*\n([\s\S]*?)\n\n/m.exec(page) ?? []
  const cells = Array.from(table.matchAll(/^\|([^|]*)\|/gm), ([, cell]) => cell!).join()
  expect(namesIn(cells, /`([a-z_]+)`/g), 'Keep the table of events in docs/operations.md.').toEqual(told)
})

test('the unit starts the server by the Node that npm brings', () => {
  const [node = '', ...rest] = settingOf('ExecStart').split(' ')
  const program = rest.at(-1)!
  const folder = `${settingOf('WorkingDirectory')}/`
  expect(node.startsWith(folder)).toBe(true)
  expect(existsSync(join(root, program))).toBe(true)
  // There is a package for these; elsewhere people install Node themselves.
  if (process.platform === 'linux' && ['x64', 'arm64'].includes(process.arch))
    expect(existsSync(join(root, node.slice(folder.length)))).toBe(true)
})

test('the unit, the page and `npm start` start the server alike', () => {
  const [, variables = '', command = ''] =
    /"start": "exec env (.*?) (node .*)",/.exec(read('package.json')) ?? []
  expect(variables).toContain('MALLOC_ARENA_MAX=')
  expect(unit).toContain(`\nEnvironment=${variables}\n`)
  expect(settingOf('ExecStart')).toMatch(new RegExp(`/${command}$`))
  expect(page).toContain(`${variables} ${command}`)
})

test('the page and the unit name the same places', () => {
  for (const place of [settingOf('WorkingDirectory'), settingOf('EnvironmentFile'), '/var/lib/ulmus'])
    expect(page).toContain(place)
  expect(settingOf('StateDirectory')).toBe('ulmus')
})
