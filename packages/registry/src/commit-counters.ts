/** Commit counters of this process for metrics. */
export class CommitCounters {
  /** Commits of pushes by how they ended: `committed`, or the code of what refused them. */
  readonly commits = new Map<string, number>()
  /** Lines of records and deletes, and entries of manifests, of the commits that made a version. */
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
