/** Commit counters of this process since its start, for metrics: `monitoring/figures.ts` reads them. */
export class CommitCounters {
  /** Commits of pushes by outcome: `committed`, or the code of the refusal. */
  readonly commits = new Map<string, number>()
  /** Record lines, deletions and manifest entries of commits that made a version. */
  records = 0

  committed(records: number): void {
    this.#count('committed')
    this.records += records
  }

  refused(code: string): void {
    this.#count(code)
  }

  #count(outcome: string): void {
    this.commits.set(outcome, (this.commits.get(outcome) ?? 0) + 1)
  }
}
