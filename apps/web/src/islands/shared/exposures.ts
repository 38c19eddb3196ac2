/** Private data that a push would make public, from the refusals that `confirm_public` lifts. Forms and the page that publishes a file share it. */
import { recordsToConfirm, recordToConfirm } from '@ulmus/content'
import { countText } from '../push/words.ts'

/** Private data that becomes public. */
export interface Exposure {
  /** Entry of `confirm_public`. */
  readonly name: string
  /** Text for people. Default: the name. */
  readonly label?: string
  /** Reason for a tick of its own, as a sentence. */
  readonly why: string
}

interface RecordName {
  readonly type: string
  readonly id: string
}

/** Members of the refusals. */
interface RefusalFacts {
  readonly madePublic?: readonly { type: string; field: string | null; private_in: readonly string[] }[]
  readonly valuesInIds?: readonly { type: string; field: string; records: number; of: number }[]
  readonly madePublicRecords?: readonly RecordName[]
  readonly totalMadePublic?: number
}

/** Maximum number of records with a tick each; of more, each type has one. */
const recordTicksMax = 3

export const privateInText = (types: readonly string[]): string => `It is private in ${types.join(', ')}.`

/** Empty for other refusals. @param facts members of the refusal */
export function refusedExposures(facts: object): Exposure[] {
  const {
    madePublic = [],
    valuesInIds = [],
    madePublicRecords = [],
    totalMadePublic = 0,
  } = facts as RefusalFacts
  return [
    ...madePublic.map(({ type, field, private_in: types }) => ({
      name: field ?? type,
      why: privateInText(types),
    })),
    ...valuesInIds.map(({ type, field, records, of }) => ({
      name: field,
      why: `It is private, but everyone reads ids, and its value is in the id of ${of === 1 ? 'the record' : `${countText(records)} of ${countText(of)} records of ${type}`}.`,
    })),
    ...(totalMadePublic > recordTicksMax ? typesOf(madePublicRecords) : recordsOf(madePublicRecords)),
  ]
}

const recordsOf = (records: readonly RecordName[]): Exposure[] =>
  records.map((record) => ({
    name: recordToConfirm(record),
    label: `${record.type} ${record.id}`,
    why: 'The record is private.',
  }))

const typesOf = (records: readonly RecordName[]): Exposure[] =>
  [...new Set(records.map(({ type }) => type))].map((type) => ({
    name: recordsToConfirm(type),
    label: `all these records of ${type}`,
    why: 'They are private.',
  }))
