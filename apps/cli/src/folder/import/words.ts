/** Describes the plan of an import before the user confirms it: columns, findings with their flags, and changes. */
import { formatSemver, nextSemver, parseSemver } from '@ulmus/content'
import { counted, countText } from '@ulmus/content/quantities'
import {
  type Column,
  codeText,
  type Inference,
  type KnownIdProposal,
  misfitsOf,
  type Plan,
  repeatText,
} from '@ulmus/tabular'
import { harmless } from '../../terminal/harmless.ts'
import { shellWord } from '../../terminal/shell-word.ts'
import type { BaseVersion } from '../base/state.ts'
import { schemaPath } from '../files/layout.ts'
import { missingFlags } from './open-table.ts'
import type { ImportPlan } from './plan.ts'

export interface PlanWords {
  readonly plan: Plan
  readonly inference: Inference
  /** Reason for the proposed id; undefined: the id was given. */
  readonly why: KnownIdProposal['why'] | undefined
}

/** Columns as a table. */
export function planLines({ plan, inference, why }: PlanWords): string[] {
  const id = plan.id.length === 0 ? 'their numbers' : plan.id.map(harmless).join(' and ')
  const head = `${counted(inference.rows, 'row')} as ${plan.type}, identified by ${id}:`
  const rows = plan.columns.map((column) => {
    const { name, field = name, kind, reference } = column
    return [
      harmless(field === name ? name : `${name} → ${field}`),
      reference === undefined ? kind : `id of ${harmless(reference)}`,
      markOf(column),
    ]
  })
  const width = (index: number) => Math.max(0, ...rows.map((row) => row[index]!.length))
  const widths = [width(0), width(1)] as const
  const lines = rows.map(([name = '', kind = '', marks = '']) =>
    `  ${name.padEnd(widths[0])}  ${kind.padEnd(widths[1])}  ${marks}`.trimEnd(),
  )
  return [head, ...lines, ...leftOutLine(plan), ...(why === 'unique' ? [guessedId(plan.id)] : [])]
}

const markOf = ({ isRequired, isPrivate, choices, conversion }: Plan['columns'][number]): string =>
  [
    ...(isRequired ? ['required'] : []),
    ...(isPrivate ? ['private'] : []),
    ...(choices === undefined ? [] : [`one of ${choices.length}`]),
    ...(conversion === undefined ? [] : [`read as ${conversion}`]),
  ].join(', ')

function leftOutLine({ leftOut = [], gone = [] }: Plan): string[] {
  const left = leftOut
    .filter(({ why }) => why !== 'id')
    .map(({ name, why }) => `${harmless(name)} (${why === 'empty' ? 'it is empty' : 'as asked'})`)
  const fields = gone.map(({ field }) => harmless(field)).join(', ')
  return [
    ...(left.length > 0 ? [`Left out: ${left.join(', ')}.`] : []),
    ...(gone.length > 0 ? [`The file has no ${fields}: its records are without.`] : []),
  ]
}

const guessedId = (id: readonly string[]): string =>
  `No column is called like an id. ${id.map(harmless).join(' and ')} was taken because it has another value in every row. To choose, add --id COLUMN, or --number.`

/** Values that were removed because they mean missing, by column: `NA` may be the code of Namibia in another one. */
export function removedLines({ removed }: Inference, unit: string): string[] {
  const marks = new Set(removed.map(({ mark }) => mark))
  return Array.from(marks, (mark) => {
    const places = removed
      .filter((one) => one.mark === mark)
      .map(({ column, count, line }) =>
        count === 1
          ? `1 value of ${column} (${unit} ${line})`
          : `${countText(count)} values of ${column} (the first in ${unit} ${line})`,
      )
    return harmless(`${JSON.stringify(mark)} means missing: ${places.join(', ')}.`)
  })
}

/** Offers and warnings about single columns, each with its flag. @param plan for these columns */
export const columnLines = ({ plan, inference }: PlanWords): string[] =>
  inference.columns.flatMap((column) => {
    const planned = plan.columns.find(({ name }) => name === column.name)
    return planned === undefined ? [] : offers(column, planned)
  })

function offers(column: Column, planned: Plan['columns'][number]): string[] {
  const { name, choices, codes, conversions } = column
  const [offer] = conversions
  const misfits = misfitsOf(column)
  const lines: string[] = []
  if (planned.conversion === undefined && planned.kind === column.kind && offer !== undefined) {
    const others = conversions
      .slice(1)
      .map(({ conversion }) => `--convert ${shellWord(`${name}=${conversion}`)}`)
    const words = others.length === 0 ? '' : `, or ${others.join(', or ')}`
    lines.push(
      `${name}: ${counted(offer.count, 'value')} could be read as ${offer.kind}, the first in line ${offer.line}: ${offer.value} as ${offer.becomes}. Add --convert ${shellWord(`${name}=${offer.conversion}`)}${words}.`,
    )
  }
  if (codes !== undefined && planned.kind === 'string') {
    const way = codes.isLong ? '' : ` For numbers, add --kind ${shellWord(`${name}=number`)}.`
    lines.push(`${name} stays text: ${codeText(codes, 'line')}.${way}`)
  }
  if (
    choices !== undefined &&
    planned.isKnown !== true &&
    planned.choices === undefined &&
    offer === undefined
  )
    lines.push(
      `${name} has only ${choices.length} values: ${choices.map((value) => JSON.stringify(value)).join(', ')}. To refuse others from now on, add --closed-list ${shellWord(name)}.`,
    )
  if (misfits !== undefined && planned.kind === column.kind) {
    const { kind, count, line, value, marks = [value] } = misfits
    const text = typeof value === 'string' ? value : JSON.stringify(value)
    lines.push(
      `${name} would be ${kind} but for ${counted(count, 'value')}, the first in line ${line}: ${text}. If that means missing: ${missingFlags(marks, name)}.`,
    )
  }
  return lines.map(harmless)
}

/** Changes of the schema, and the resulting version. @param base undefined: nothing is published yet */
export function changeLines(
  { plan, changes, inherited }: ImportPlan,
  isNew: boolean,
  base: BaseVersion | null,
): string[] {
  const private_ = [...inherited]
    .filter(([name]) => plan.columns.some((column) => column.name === name))
    .map(([name, type]) => `${harmless(name)} is private here because it is private in ${harmless(type)}.`)
  private_.push(...plan.columns.flatMap((column) => repeatLines(column, plan)))
  if (!isNew && changes.length === 0) return private_
  const number = base === null ? undefined : parseSemver(base.semver)
  const next = number === undefined ? undefined : formatSemver(nextSemver(number, 'schema'))
  const version = next === undefined ? '' : `, so the next push makes ${next}`
  if (isNew) return [...private_, ...(next === undefined ? [] : [`${plan.type} is a new type${version}.`])]
  return [
    ...private_,
    `The schema of ${plan.type} changes${version}:`,
    ...changes.map(({ sentence }) => `  ${harmless(sentence)}`),
  ]
}

/** The reason for a private column, with the rename that keeps the field, and the way to publish it. */
function repeatLines({ name, repeats }: Plan['columns'][number], { type, gone = [] }: Plan): string[] {
  if (repeats === undefined) return []
  const isGone = repeats.type === type && gone.some(({ field }) => field === repeats.field)
  const rename = isGone ? ` To keep the field, add --rename ${shellWord(`${name}=${repeats.field}`)}.` : ''
  const publish = `To publish it, make it public in ${schemaPath(type)}, and push with --publish-private.`
  return [harmless(`${name} is private here: it ${repeatText(repeats, type)}.${rename} ${publish}`)]
}

/** Warning if no existing record would remain. */
export function newIdsLines({ plan, knownIds }: ImportPlan, here: number): string[] {
  if (knownIds !== 0) return []
  const id = plan.id.length === 0 ? 'the number' : plan.id.map(harmless).join(' and ')
  return [
    `Warning: None of the ${countText(here)} ${harmless(plan.type)} records remains: all ids of the file are new. Is ${id} the right id? See --id.`,
  ]
}
