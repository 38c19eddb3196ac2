/** Refusals of the file itself: rows that do not fit the plan, with remedies. */
import {
  type Conversion,
  type Inference,
  idCandidates,
  type Plan,
  type PrivateIdError,
  type TableError,
} from '@ulmus/tabular'
import type { ColumnMisfit, Way } from '@ulmus/tabular/check'
import { type FileFault, type Refusal, refusalOf } from '../refusal.ts'
import type { Remedy } from '../remedies.ts'
import type { Edits } from '../shapes.ts'
import { counted, countText, kindLabels } from '../words.ts'
import { cellText, readingText } from './facts.ts'
import { type FaultList, privateColumnsOf } from './fault-list.ts'

/** Facts about repeated ids in the file. */
export interface RepeatedIds {
  /** First line of each repeated id. */
  readonly lines: ReadonlyMap<string, number>
  /** Word for a row: line, item, row. */
  readonly unit: string
  /** Two columns that together form an id, if there are any. */
  readonly pair: readonly string[] | undefined
}

export function fileRefusal(
  { first, total }: FaultList,
  misfits: readonly ColumnMisfit[],
  plan: Plan,
  inference: Inference,
  repeated: RepeatedIds,
): Refusal {
  const ofIds = first.filter(({ column }) => column !== undefined && plan.id.includes(column))
  return {
    sentence: `${counted(total, 'row')} of ${inference.name} ${total === 1 ? 'does' : 'do'} not fit. Nothing was sent.`,
    faults: first.map((fault) => faultOf(fault, repeated)),
    total,
    ways: [
      ...misfits.flatMap((misfit) => misfit.ways.flatMap((way) => remedyOf(misfit, way, plan, inference))),
      ...(ofIds.length > 0 ? idRemedies(plan, inference, repeated) : []),
    ],
  }
}

/** Refusal for fields that the schema requires and the file lacks. */
export const absentRefusal = (misfits: readonly ColumnMisfit[], plan: Plan, inference: Inference): Refusal =>
  refusalOf(
    `The file has no ${misfits.map(({ field }) => field).join(', ')}, which every ${plan.type} had so far. Nothing was sent.`,
    {
      ways: misfits.flatMap((misfit) => misfit.ways.flatMap((way) => remedyOf(misfit, way, plan, inference))),
    },
  )

const faultOf = (fault: TableError, { lines, unit }: RepeatedIds): FileFault => ({
  line: fault.line,
  column: fault.column,
  value: fault.value,
  problem:
    fault.repeatedId !== undefined && lines.has(fault.repeatedId)
      ? `${unit} ${countText(lines.get(fault.repeatedId)!)} has the same id`
      : problemOf(fault),
})

/** First sentence of a fault, without the parts that other cells show: place, column, value. */
function problemOf({ message, column = '', value = '' }: TableError): string {
  const sentence = message.replace(/^.*?, (?:line|item|row) \d+: /s, '')
  const beginnings = [`\`${column}\` has `, `\`${column}\` is `, `${value}, which is `, `${value}, `]
  const rest = beginnings.reduce(
    (text, one) => (text.startsWith(one) ? text.slice(one.length) : text),
    sentence,
  )
  return rest.split(/\.(?:\s|$)/, 1)[0]!
}

/** Consequences of publishing a file that lacks a field. */
function lossText(field: string, { gone = [], type }: Plan): string {
  const isRequired = gone.find((one) => one.field === field)?.isRequired === true
  const loss = `The ${type} in the file lose their ${field}; earlier versions keep it.`
  return isRequired ? `${loss} Records need none from then on.` : loss
}

function remedyOf(misfit: ColumnMisfit, way: Way, plan: Plan, inference: Inference): Remedy[] {
  const { column, field, sentence } = misfit
  const choices = plan.columns.find(({ name }) => name === column)?.choices ?? []
  const remedy = (label: string, change: Remedy['change'], why = `${column}: ${sentence}`): Remedy[] => [
    { label, sentence: why, change },
  ]
  const edit = (label: string, set: Edits[string]) => remedy(label, { kind: 'column', column, set })
  switch (way.do) {
    case 'kind':
      return edit(`Make ${column} ${kindLabels[way.kind]}`, { kind: way.kind })
    case 'convert':
      return edit(conversionText(column, way.conversion, inference), { conversion: way.conversion })
    case 'allow':
      return edit('Allow the new values', { choices: [...choices, ...way.values] })
    case 'optional':
      return misfit.why === 'gone'
        ? remedy(`Publish without ${field}`, { kind: 'absent', field }, lossText(field, plan))
        : edit(`Make ${column} optional`, { isRequired: false })
    case 'missing':
      return remedy(`${cellText(way.value)} in ${column} means missing`, {
        kind: 'read',
        options: { missingIn: { [column]: [way.value] } },
      })
    case 'rename':
      return remedy(
        `${way.from} is ${field}`,
        { kind: 'rename', column: way.from, field },
        `The file has no ${field}, and ${way.from} is new.`,
      )
  }
}

function conversionText(column: string, conversion: Conversion, { columns }: Inference): string {
  const { conversions = [], distinct } = columns.find(({ name }) => name === column) ?? {}
  const found = conversions.find((one) => one.conversion === conversion)
  return found === undefined ? `Read ${column} as ${conversion}` : `Read ${readingText(found, distinct)}`
}

/** Maximum number of other columns proposed as the id. */
const proposedIds = 2

/** Refusal for private columns in ids. @param pair two public columns that together form an id, if there are any */
export function privateIdRefusal(
  error: PrivateIdError,
  plan: Plan,
  inference: Inference,
  pair: readonly string[] | undefined,
): Refusal {
  const ways = idRemedies(plan, inference, { pair })
  const publish = error.columns
    .filter((column) => plan.columns.some(({ name }) => name === column))
    .map(
      (column): Remedy => ({
        label: `Make ${column} public`,
        sentence: `Everyone will read the values of ${column}.`,
        change: { kind: 'column', column, set: { isPrivate: false } },
      }),
    )
  return refusalOf(error.message, { ways: [...ways, ...publish] })
}

function idRemedies(plan: Plan, { columns }: Inference, { pair }: Pick<RepeatedIds, 'pair'>): Remedy[] {
  const { id } = plan
  const hidden = privateColumnsOf(plan)
  const others = idCandidates(columns).filter(({ name }) => !id.includes(name) && !hidden.includes(name))
  return [
    ...others.slice(0, proposedIds).map(
      ({ name }): Remedy => ({
        label: `Make ${name} the id`,
        sentence: `${name} differs in every row.`,
        change: { kind: 'id', id: [name] },
      }),
    ),
    ...(pair === undefined
      ? []
      : [
          {
            label: `Use ${pair.join(' and ')} together`,
            sentence: 'Together they differ in every row.',
            change: { kind: 'id', id: pair },
          } satisfies Remedy,
        ]),
    ...(id.length === 0
      ? []
      : [
          {
            label: 'Number the rows',
            sentence: 'A row that is inserted later renumbers all records after it.',
            change: { kind: 'id', id: [] },
          } satisfies Remedy,
        ]),
  ]
}

/** A file that cannot be read as a table. */
export function readingRefusal(error: TableError): Refusal {
  const ways = error.choices.map(
    ({ label, options }): Remedy => ({ label, sentence: '', change: { kind: 'read', options } }),
  )
  return refusalOf(error.message, { ways })
}
