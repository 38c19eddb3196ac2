/** Plain data that the page and its worker exchange. */
import type { DryRunResult } from '@ulmus/client'
import type { Detected, Note, Plan, PlannedColumn, ReadOptions } from '@ulmus/tabular'
import type { Audience } from './audience.ts'

/** The collection that is pushed to. */
export interface Target {
  /** `owner/slug` */
  readonly ref: string
  /** The latest version; null: there is none. */
  readonly head: string | null
}

/** Columns as the user changed them, by their name in the file. */
export type Edits = Readonly<Record<string, Partial<PlannedColumn>>>

/** A way to read the texts of a column, offered as a tick. */
export interface OfferedReading {
  readonly label: string
  /** How many values it changes. */
  readonly values: number
  readonly set: Pick<PlannedColumn, 'conversion' | 'kind'>
}

export interface ColumnFacts {
  readonly name: string
  readonly isEmpty: boolean
  /** The first values, cut. */
  readonly examples: readonly string[]
  readonly readings: readonly OfferedReading[]
  /** All values, where they are few: a closed list that the user may ask for. */
  readonly choices: readonly string[] | undefined
}

/** An existing type of the latest version. */
export interface LikeType {
  readonly type: string
  /** How the file is like it, in words. */
  readonly likeness: string
}

/** A value that may stand for none. */
export interface Mark {
  readonly mark: string
  /** Undefined: not counted. */
  readonly count: number | undefined
}

export interface OpenedFile {
  readonly name: string
  readonly rows: number
  /** Name of a row: line, item, row. */
  readonly unit: string
  readonly detected: Detected
  readonly notes: readonly Note[]
  readonly marks: readonly Mark[]
  readonly sample: {
    readonly columns: readonly string[]
    readonly rows: readonly { readonly line: number; readonly values: readonly (string | undefined)[] }[]
  }
  readonly facts: readonly ColumnFacts[]
  /** Those that the file is most like come first. */
  readonly types: readonly LikeType[]
  /** The name of a new type, after the file. */
  readonly newName: string
  /** For the type that the file is most like. */
  readonly planned: Planned
}

/** The plan for one type and id. For a type of the latest version it begins with the state of its schema. */
export interface Planned {
  readonly plan: Plan
  /** Result of the id's comparison, in words. */
  readonly idText: string
  readonly isNew: boolean
  /** Columns whose names are private elsewhere in the collection, and where. */
  readonly guarded: Readonly<Record<string, string>>
}

export interface OpenAsk {
  readonly file: File
  readonly options: ReadOptions
  readonly target: Target
  /** For the plan. Undefined: a plan for the type that the file is most like. */
  readonly ask: PlanAsk | undefined
}

/** The user's choices for a plan, beside its columns. */
export interface PlanAsk {
  readonly type: string
  /** Columns of the id. Undefined: the likeliest. */
  readonly id?: readonly string[] | undefined
  /** Fields by column. */
  readonly rename?: Readonly<Record<string, string>> | undefined
  /** Fields that the file may lack. */
  readonly optional?: readonly string[] | undefined
}

export interface CompareAsk {
  readonly plan: Plan
  /** `everything`: records of the type that the file does not have are removed. */
  readonly mode: 'changes' | 'everything'
}

/** A private name that becomes public. */
export interface Exposure {
  /** As the registry takes it in `confirm_public`. */
  readonly name: string
  /** Types in which it is or was private, as words. */
  readonly privateIn: string
}

export interface Compared {
  readonly added: number
  readonly updated: number
  readonly removed: number
  readonly unchanged: number
  /** Change of the schema. */
  readonly sentences: readonly string[]
  /** Something that looks like a mistake, such as an id that no record has. */
  readonly caution: string | undefined
  readonly audience: Audience
  readonly exposures: readonly Exposure[]
  /** Undefined: nothing changes. */
  readonly next:
    | (Pick<DryRunResult, 'semver' | 'warnings' | 'totalWarnings'> & { readonly isMajor: boolean })
    | undefined
}

export interface PublishAsk {
  readonly message: string
  /** Names of exposures. */
  readonly confirmed: readonly string[]
}
