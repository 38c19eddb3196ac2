/** Plots cost against size as an SVG with four panels, both axes logarithmic: a flat line costs the same at any size. */
import type { Contender, DatabaseKind, Figures } from '../figures.ts'

const panels = [
  { title: 'metadata update', quantity: 'metadata update' },
  { title: 'push of 1 % scattered changes', quantity: 'push of 1 % scattered' },
  { title: 'first push', quantity: 'first push' },
  { title: 'diff of 1 %, by hash', quantity: 'diff by hash, scattered, warm' },
] as const

interface Line {
  readonly name: string
  readonly by: Contender
  readonly database: DatabaseKind | null
  readonly stroke: string
  readonly dashes: string
}

const lines: readonly Line[] = [
  { name: 'Ulmus, embedded', by: 'ulmus', database: 'embedded', stroke: '#0f766e', dashes: '' },
  { name: 'Ulmus, PostgreSQL', by: 'ulmus', database: 'server', stroke: '#0f766e', dashes: '2 3' },
  { name: 'SQL tables', by: 'tables', database: null, stroke: '#b45309', dashes: '' },
  { name: 'git', by: 'git', database: null, stroke: '#6d28d9', dashes: '' },
]

const panel = { width: 330, height: 210, left: 58, top: 30, right: 14, bottom: 34 }
const gap = { across: 20, down: 22, legend: 34 }
/** Range of the cost axis. Milliseconds. */
const [costMin, costMax] = [1, 100_000]
const costNames = new Map([
  [1, '1 ms'],
  [10, '10 ms'],
  [100, '100 ms'],
  [1_000, '1 s'],
  [10_000, '10 s'],
  [100_000, '100 s'],
])

export function plotSvg(figures: Figures, sizes: readonly number[]): string {
  const width = 2 * panel.width + gap.across
  const height = gap.legend + 2 * panel.height + gap.down
  const drawn = panels.map((one, n) => {
    const x = (n % 2) * (panel.width + gap.across)
    const y = gap.legend + Math.floor(n / 2) * (panel.height + gap.down)
    return `<g transform="translate(${x} ${y})">${panelOf(figures, sizes, one)}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" font-family="system-ui, sans-serif" font-size="11">`,
    '<title>Cost against size</title>',
    `<rect width="${width}" height="${height}" fill="#ffffff"/>`,
    legend(),
    ...drawn,
    '</svg>',
    '',
  ].join('\n')
}

function legend(): string {
  return lines
    .map(({ name, stroke, dashes }, n) => {
      const x = panel.left + n * 150
      return `<path d="M${x} 16h26" stroke="${stroke}" stroke-width="2" stroke-dasharray="${dashes}"/><text x="${x + 32}" y="20" fill="#1f2937">${name}</text>`
    })
    .join('')
}

function panelOf(
  figures: Figures,
  sizes: readonly number[],
  { title, quantity }: (typeof panels)[number],
): string {
  const right = panel.width - panel.right
  const bottom = panel.height - panel.bottom
  const [least, most] = [Math.min(...sizes), Math.max(...sizes, Math.min(...sizes) * 10)]
  const along = (share: number, from: number, to: number) => from + share * (to - from)
  const x = (size: number) => along(Math.log(size / least) / Math.log(most / least), panel.left, right)
  const y = (cost: number) => {
    const share = Math.log(Math.max(cost, costMin) / costMin) / Math.log(costMax / costMin)
    return along(Math.min(share, 1), bottom, panel.top)
  }
  const parts = [
    `<text x="${panel.left}" y="18" font-size="12" font-weight="600" fill="#111827">${title}</text>`,
    ...[...costNames].map(
      ([cost, name]) =>
        `<path d="M${panel.left} ${round(y(cost))}H${right}" stroke="#e5e7eb"/><text x="${panel.left - 6}" y="${round(y(cost) + 4)}" text-anchor="end" fill="#4b5563">${name}</text>`,
    ),
    ...sizes.map(
      (size) =>
        `<text x="${round(x(size))}" y="${bottom + 16}" text-anchor="middle" fill="#4b5563">${size.toLocaleString('en')}</text>`,
    ),
  ]
  for (const { by, database, stroke, dashes } of lines) {
    const points = sizes.flatMap((size) => {
      const figure = figures.find(quantity, { by, database, size })
      return figure === undefined ? [] : [{ x: round(x(size)), y: round(y(figure.median)) }]
    })
    const path = points.map((point, n) => `${n === 0 ? 'M' : 'L'}${point.x} ${point.y}`).join('')
    if (path !== '')
      parts.push(
        `<path d="${path}" fill="none" stroke="${stroke}" stroke-width="2" stroke-dasharray="${dashes}"/>`,
      )
    for (const point of points) parts.push(`<circle cx="${point.x}" cy="${point.y}" r="3" fill="${stroke}"/>`)
  }
  return parts.join('')
}

const round = (value: number): number => Math.round(value * 10) / 10
