/** The job of a trusted issuer that acts with a key made for it. Stored with keys, versions, pushes and metadata updates. */

export const issuerKinds = ['github', 'gitlab', 'kubernetes', 'other'] as const
export type IssuerKind = (typeof issuerKinds)[number]

/** Readers who are shown the workload of a version. */
export const workloadReaders = ['none', 'members', 'everyone'] as const
export type WorkloadReaders = (typeof workloadReaders)[number]

export interface Workload {
  /** Id of the trusted publisher, which may be gone. */
  readonly publisher: string
  readonly issuer: string
  readonly kind: IssuerKind
  /** `sub` of the token. */
  readonly subject: string
  /** Claims that identify the job, as texts. */
  readonly claims: Readonly<Record<string, string>>
  /** Address of the job's page, if the kind of issuer has one. */
  readonly run: string | null
  readonly shows: WorkloadReaders
}
