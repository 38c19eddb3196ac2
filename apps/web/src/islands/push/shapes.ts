/** Data that the page and its worker exchange. Messages are cloned, so it contains no functions and no classes of ours. */
import type { DryRunResult } from '@ulmus/client'
import type { CellChange } from '@ulmus/content'
import type { Detected, Note, Plan, PlannedColumn, ReadOptions } from '@ulmus/tabular'
import type { Exposure } from '../shared/exposures.ts'
import type { Audience } from './audience.ts'

/** Target collection of the push. */
export interface Target {
  /** `owner/slug` */
  readonly ref: string
  /** The latest version; null: there is none. */
  readonly head: string | null
}

/** The user's edits of columns, by the column's name in the file. */
export type Edits = Readonly<Record<string, Partial<PlannedColumn>>>

/** A way to read the texts of a column, offered as a checkbox. */
export interface OfferedReading {
  readonly label: string
  /** Number of values that it changes. */
  readonly values: number
  readonly set: Pick<PlannedColumn, 'conversion' | 'kind'>
}

export interface ColumnFacts {
  readonly name: string
  readonly isEmpty: boolean
  /** The first values, shortened. */
  readonly examples: readonly string[]
  readonly readings: readonly OfferedReading[]
  /** Reason for keeping numbers as texts. */
  readonly codes: string | undefined
  /** All values if they are few: the user may make them a closed list. */
  readonly choices: readonly string[] | undefined
}

/** An existing type of the latest version. */
export interface LikeType {
  readonly type: string
  /** Similarity of the file, as a sentence. */
  readonly likeness: string
  /** True if the type is similar enough to be proposed. */
  readonly isLikely: boolean
  /** True if it keeps how its files were read. */
  readonly isRemembered: boolean
}

/** A text that may mean missing, and the columns in which it would, or does by the options. */
export interface MissingMarker {
  readonly mark: string
  readonly columns: readonly { readonly column: string; readonly count: number }[]
}

/** A row of the file as it is read, its values shortened. */
export interface SampleRow {
  readonly line: number
  readonly values: readonly (string | undefined)[]
}

/** Answer of `open`: everything that the page shows about the file. */
export interface OpenedFile {
  readonly name: string
  readonly rows: number
  /** Word for a row: line, item, row. */
  readonly unit: string
  readonly detected: Detected
  /** The options in use: the user's, and those of earlier files. */
  readonly options: ReadOptions
  readonly notes: readonly Note[]
  readonly marks: readonly MissingMarker[]
  readonly sample: {
    readonly columns: readonly string[]
    readonly rows: readonly SampleRow[]
    /** Rows at the end that are not among `rows`. */
    readonly last: readonly SampleRow[]
  }
  readonly facts: readonly ColumnFacts[]
  /** The type as whose files this one is read; undefined: as detected. */
  readonly readAs: string | undefined
  /** Most similar types first. */
  readonly types: readonly LikeType[]
  /** Name of a new type, from the name of the file. */
  readonly newName: string
  /** Plan for the most similar type. */
  readonly planned: Planned
}

/** Plan for one type and id. For an existing type it starts from its schema. */
export interface Planned {
  readonly plan: Plan
  /** Quality of the chosen id, as a sentence. */
  readonly idText: string
  readonly isNew: boolean
  /** Columns that begin private because the collection keeps their names or values private, with the reason. */
  readonly guarded: ReadonlyMap<string, string>
}

/** Input of `open`. */
export interface OpenAsk {
  readonly file: File
  readonly options: ReadOptions
  readonly target: Target
  /** Choices for the plan. Undefined: a plan for the most similar type. */
  readonly ask: PlanAsk | undefined
}

/** The user's choices for a plan, apart from its columns. */
export interface PlanAsk {
  readonly type: string
  /** Columns of the id. Undefined: the most likely ones. */
  readonly id?: readonly string[] | undefined
  /** Names of fields by column. */
  readonly rename?: Readonly<Record<string, string>> | undefined
  /** Fields that may be missing. */
  readonly optional?: readonly string[] | undefined
}

/** Input of `compare`. */
export interface CompareAsk {
  readonly plan: Plan
  /** `everything`: remove records of the type that are not in the file. */
  readonly mode: 'changes' | 'everything'
}

/** A cell of a shown record: a changed value has `was` and `is`, of which an absent one is undefined; others have `same`, if any. */
export interface SampledCell {
  readonly was?: string
  readonly is?: string
  readonly same?: string
}

export interface SampledRow {
  /** Shortened. */
  readonly id: string
  /** Path of the record in the latest version. Undefined: it is not there. */
  readonly href: string | undefined
  readonly cells: readonly SampledCell[]
}

/** The first records of a change. */
export interface RecordTable {
  readonly columns: readonly string[]
  /** Number of columns that are not shown. */
  readonly moreColumns: number
  readonly rows: readonly SampledRow[]
  /** Number of all records of the change. */
  readonly total: number
}

export type ChangedRecords = Readonly<Record<'updated' | 'added' | 'removed', RecordTable>>

/** Numbers of changed cells of a column of updated records. */
export interface ColumnCounts extends Readonly<Record<CellChange, number>> {
  /** Names of the value, with dots between. Empty: one side is no object. */
  readonly label: string
}

/** A count of changed cells, whose records are shown on request. */
export interface ChangedCell {
  readonly label: string
  readonly change: CellChange
}

/** Answer of `compare`: the changes that a push would publish. */
export interface Compared {
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly unchanged: number
  readonly records: ChangedRecords
  readonly columns: readonly ColumnCounts[]
  /** Changes of the schema. */
  readonly sentences: readonly string[]
  /** A possible mistake, such as an id that no record has. */
  readonly caution: string | undefined
  readonly audience: Audience
  readonly exposures: readonly Exposure[]
  /** Undefined: nothing changes. */
  readonly next:
    | (Pick<DryRunResult, 'semver' | 'warnings' | 'totalWarnings'> & { readonly isMajor: boolean })
    | undefined
}

/** Input of `publish`, which publishes the last comparison. */
export interface PublishAsk {
  readonly message: string
  /** Names of exposures. */
  readonly confirmed: readonly string[]
}
