/** The alert rules, their tests and the dashboard of `deploy/monitoring` fit the metrics of a server, and Prometheus takes them. */
import { execFileSync, spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { anyDatabase } from '@ulmus/storage/testing'
import { describe, expect, test } from 'vitest'
import { parse } from 'yaml'
import { serveForTest } from '../testing/serve.ts'

const root = join(import.meta.dirname, '../../../..')
const folder = join(root, 'deploy/monitoring')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Rules {
  readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[]
}
interface Panel {
  readonly title: string
  readonly targets: readonly { readonly expr: string }[]
  readonly gridPos: { readonly x: number; readonly y: number; readonly w: number; readonly h: number }
}
interface Dashboard {
  readonly panels: readonly Panel[]
  readonly templating: { readonly list: readonly { readonly query: string | { readonly query: string } }[] }
}

const rules = (parse(read('deploy/monitoring/alerts.yaml')) as Rules).groups.flatMap((group) => group.rules)
const dashboard = JSON.parse(read('deploy/monitoring/dashboard.json')) as Dashboard
/** Grafana replaces its variables before Prometheus sees an expression. */
const drawn = dashboard.panels.flatMap(({ targets }) =>
  targets.map(({ expr }) => expr.replaceAll('$__rate_interval', '5m').replaceAll(/\$\w+/g, '.*')),
)

/** Words of PromQL that are followed by no bracket. */
const words = /^(?:and|or|unless|offset|bool|by|without|on|ignoring|group_left|group_right|e\d+|inf|nan)$/i

/** Names of metrics in an expression: names that are no function, label, word or duration. */
const metricsIn = (expr: string): string[] =>
  Array.from(
    expr
      .replaceAll(/"[^"]*"|\{[^}]*\}|\[[^\]]*\]|offset \w+/g, ' ')
      .replaceAll(/\b(?:by|without|on|ignoring)\s*\([^)]*\)/g, ' ')
      .matchAll(/(?<![\w.])[a-zA-Z_:][\w:]*(?!\w*\s*\()/g),
    ([name]) => name,
  ).filter((name) => !words.test(name))

test('names of metrics are found in an expression', () => {
  expect(
    metricsIn('sum without (instance) (rate(a_total{b="c",d=~"e"}[5m])) / on (f) g > 2e9 or h offset 15m'),
  ).toEqual([...['a_total', 'g', 'h']])
  const quantile = 'histogram_quantile(0.5, sum by (le) (rate(x_bucket[5m]))) unless y'
  expect(metricsIn(quantile)).toEqual(['x_bucket', 'y'])
})

describe.each(anyDatabase)('the metrics of a server on $name', ({ settings }) => {
  test('have all that the alert rules and the dashboard read', async () => {
    const made = await settings()
    const server = await serveForTest(made.settings)
    try {
      const text = await (await fetch(`${server.url}/metrics`)).text()
      const exposed = new Set(['up'])
      for (const [, name, kind] of text.matchAll(/^# TYPE (\S+) (\S+)$/gm)) {
        exposed.add(name!)
        if (kind === 'histogram')
          for (const part of ['bucket', 'sum', 'count']) exposed.add(`${name}_${part}`)
      }
      const variables = dashboard.templating.list.map(({ query }) =>
        typeof query === 'string' ? '' : query.query,
      )
      const asked = variables.flatMap((query) => /label_values\((\w+)/.exec(query)?.[1] ?? [])
      const named = [...rules.map(({ expr }) => expr), ...drawn].flatMap(metricsIn)
      expect(named.length).toBeGreaterThan(50)
      expect([...new Set([...named, ...asked])].filter((name) => !exposed.has(name))).toEqual([])
    } finally {
      await server.close()
      await made.dispose()
    }
  })
})

test('docs/monitoring.md says of each alert what it means, and of no other', () => {
  const described = Array.from(
    read('docs/monitoring.md').matchAll(/^\| `(Ulmus\w+)` \|/gm),
    ([, name]) => name,
  )
  expect(described.sort()).toEqual(rules.map(({ alert }) => alert).sort())
})

test('each alert is raised by a test, and by a healthy registry none', () => {
  const { tests } = parse(read('deploy/monitoring/alerts.test.yaml')) as {
    tests: { alert_rule_test: { alertname: string; exp_alerts?: unknown[] }[] }[]
  }
  const cases = tests.flatMap((one) => one.alert_rule_test)
  for (const { alert } of rules) {
    const own = cases.filter(({ alertname }) => alertname === alert)
    expect(
      own.some(({ exp_alerts }) => exp_alerts === undefined),
      alert,
    ).toBe(true)
    expect(
      own.some(({ exp_alerts }) => exp_alerts !== undefined),
      alert,
    ).toBe(true)
  }
})

test('the panels of the dashboard fill its grid without overlap', () => {
  const cells = dashboard.panels.flatMap(({ gridPos: { x, y, w, h } }) =>
    Array.from({ length: w * h }, (_, n) => `${x + (n % w)} ${y + Math.floor(n / w)}`),
  )
  expect(new Set(cells).size).toBe(cells.length)
  expect(Math.max(...dashboard.panels.map(({ gridPos: { x, w } }) => x + w))).toBe(24)
})

const isThere = spawnSync('promtool', ['--version']).status === 0 || process.env['CI'] === 'true'
describe.skipIf(!isThere)('promtool (Debian: apt-get install prometheus)', () => {
  const promtool = (...args: string[]) => execFileSync('promtool', args, { cwd: folder, encoding: 'utf8' })

  test('takes the rules and the example of a configuration, and the rules pass their tests', () => {
    expect(promtool('check', 'rules', 'alerts.yaml')).toContain(`${rules.length} rules found`)
    promtool('check', 'config', 'prometheus.yaml')
    promtool('test', 'rules', 'alerts.test.yaml')
  })

  test('takes every expression of the dashboard', () => {
    const made = mkdtempSync(join(tmpdir(), 'ulmus-promtool-'))
    try {
      const recorded = drawn.map((expr, n) => ({ record: `panel_${n}`, expr }))
      writeFileSync(
        join(made, 'rules.yaml'),
        JSON.stringify({ groups: [{ name: 'drawn', rules: recorded }] }),
      )
      expect(promtool('check', 'rules', join(made, 'rules.yaml'))).toContain(`${drawn.length} rules found`)
    } finally {
      rmSync(made, { recursive: true })
    }
  })
})
