/** Report of a run: counts, progress lines and a summary. */

export interface Figures {
  readonly faults: ReadonlyMap<string, number>
  readonly operations: ReadonlyMap<string, ReadonlyMap<Outcome, number>>
  readonly violations: readonly string[]
}

/** `done`: acknowledged. `open`: no answer, or 503. `refused`: for a valid reason, such as a full disk. */
export type Outcome = 'done' | 'open' | 'refused'

export class Report implements Figures {
  readonly faults = new Map<string, number>()
  readonly operations = new Map<string, Map<Outcome, number>>()
  readonly violations: string[] = []
  /** Waiting times in milliseconds, by reason. */
  readonly #waits = new Map<string, number[]>()
  readonly #began = performance.now()
  readonly #print: (line: string) => void

  constructor(print: (line: string) => void) {
    this.#print = print
  }

  say(line: string): void {
    this.#print(`${((performance.now() - this.#began) / 1000).toFixed(1).padStart(7)} s  ${line}`)
  }

  fault(kind: string): void {
    this.faults.set(kind, (this.faults.get(kind) ?? 0) + 1)
  }

  operation(name: string, outcome: Outcome): void {
    const counts = this.operations.get(name) ?? new Map<Outcome, number>()
    counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    this.operations.set(name, counts)
  }

  violation(sentence: string): void {
    this.violations.push(sentence)
    this.say(`VIOLATION ${sentence}`)
  }

  waited(what: string, milliseconds: number): void {
    const waits = this.#waits.get(what)
    if (waits === undefined) this.#waits.set(what, [milliseconds])
    else waits.push(milliseconds)
  }

  /** Tables at the end of a run. */
  lines(): string[] {
    const total = (counts: Iterable<number>) => [...counts].reduce((sum, one) => sum + one, 0)
    const operations = [...this.operations].sort(([a], [b]) => (a < b ? -1 : 1))
    const sum = operations.map(([, counts]) => total(counts.values()))
    return [
      `faults: ${total(this.faults.values())}`,
      ...[...this.faults].sort().map(([kind, count]) => `  ${kind.padEnd(44)} ${count}`),
      `operations: ${total(sum)}`,
      ...operations.map(([name, counts]) => `  ${name.padEnd(28)} ${tell(counts)}`),
      'waits, seconds (half of them, the longest)',
      ...[...this.#waits].map(([what, waits]) => `  ${what.padEnd(44)} ${secondsOf(waits)}`),
      `violations: ${this.violations.length}`,
      ...this.violations.map((sentence) => `  ${sentence}`),
    ]
  }
}

const tell = (counts: ReadonlyMap<Outcome, number>): string =>
  (['done', 'open', 'refused'] as const)
    .map((outcome) => `${String(counts.get(outcome) ?? 0).padStart(6)} ${outcome}`)
    .join('')

function secondsOf(waits: readonly number[]): string {
  const sorted = waits.toSorted((a, b) => a - b)
  const seconds = (milliseconds: number | undefined) => ((milliseconds ?? 0) / 1000).toFixed(1).padStart(6)
  return `${seconds(sorted[sorted.length >> 1])}${seconds(sorted.at(-1))}`
}
