/** Data of a record from the entries of its form, and faults of the data for the inputs that caused them. */
import { jsonFault } from '@ulmus/content'
import { RegistryError } from '@ulmus/registry'
import type { Refused } from '../../../components/form.tsx'
import { isObject } from '../../../data/records.ts'
import { type Issue, refusedFields } from '../../../form.ts'
import { cutText } from '../../../format.ts'
import type { Form } from '../../../page.ts'
import { allControls, type Control, initialText } from './controls.ts'

const decimalComma = /^(-?(?:0|[1-9]\d*)),(\d+)$/
const number = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/

/**
 * JSON of a record. Entries become JSON without being parsed, so that numbers keep their digits; members without an edited input stay as
 * they are. @throws invalid_request, which names the inputs
 */
export function enteredData(controls: readonly Control[], data: unknown, form: Form): string {
  const issues: Issue[] = []
  const text = objectText(controls, data, form, issues)
  if (issues.length > 0) throw refusedFields('Some fields need another value:', issues)
  return text
}

function objectText(controls: readonly Control[], value: unknown, form: Form, issues: Issue[]): string {
  const stored = isObject(value) ? Object.entries(value) : []
  const members = new Map(stored.map(([name, member]) => [name, JSON.stringify(member)]))
  for (const control of controls) {
    const text = memberText(control, form, issues)
    if (text === undefined) members.delete(control.field.name)
    else members.set(control.field.name, text)
  }
  return `{${Array.from(members, ([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`
}

/** JSON of a member; undefined: there is none. */
function memberText(control: Control, form: Form, issues: Issue[]): string | undefined {
  const { pointer, kind, value, members, emptied } = control
  const stored = JSON.stringify(value) as string | undefined
  if (kind === 'group') {
    const text = objectText(members, value, form, issues)
    return text !== '{}' || stored === '{}' ? text : stored === 'null' ? stored : emptied
  }
  // Browsers send line breaks as CR LF.
  const text = form[pointer]?.replaceAll('\r\n', '\n')
  if (text === undefined || (stored !== undefined && text === initialText(control))) return stored
  if (text === '') return emptied
  try {
    return writtenAs(control, text)
  } catch (error) {
    if (!(error instanceof EntryError)) throw error
    issues.push({ path: pointer, message: error.message })
    return stored
  }
}

class EntryError extends Error {}

/** @throws EntryError */
function writtenAs({ kind, field, choices, hasNumbers }: Control, text: string): string {
  switch (kind) {
    case 'number':
      return numberIn(text, field.type)
    case 'boolean':
      return text === 'true' ? 'true' : 'false'
    case 'choice':
      if (!choices.some(([json]) => json === text)) throw new EntryError('Choose a value of the list.')
      return text
    case 'list': {
      const lines = text.split('\n').filter((line) => line.trim() !== '')
      return `[${lines.map((line) => (hasNumbers ? numberIn(line) : JSON.stringify(line))).join(',')}]`
    }
    case 'json':
      return jsonIn(text)
    default:
      return JSON.stringify(text)
  }
}

function numberIn(text: string, type?: string): string {
  const written = text.trim()
  const [, whole, fraction = ''] = type === 'integer' ? [] : (decimalComma.exec(written) ?? [])
  // `1,234` may be meant either way.
  if (whole !== undefined && fraction.length === 3 && /^-?[1-9]\d{0,2}$/.test(whole))
    throw new EntryError(`Write ${whole}${fraction} or ${whole}.${fraction}: a comma may mean either.`)
  const literal = whole === undefined ? written : `${whole}.${fraction}`
  if (!number.test(literal))
    throw new EntryError(
      type === 'integer'
        ? 'Write a whole number such as 12, without separators.'
        : 'Write a number such as 12 or 0.5, with a point and without separators.',
    )
  return jsonIn(literal)
}

/** JSON on one line. @throws EntryError with the position of the fault */
function jsonIn(text: string): string {
  const fault = jsonFault(text)
  if (fault !== undefined) throw new EntryError(fault)
  return text.replace(/[\r\n]+/g, ' ')
}

interface RefusedLine {
  readonly code: string
  readonly message: string
  readonly errors?: readonly Issue[]
}

/** A refusal of the record by its schema, with each fault at the input that it concerns. Returns other refusals unchanged. */
export function atInputs(error: Refused, controls: readonly Control[]): Refused {
  const lines = error?.details['validationErrors'] as readonly RefusedLine[] | undefined
  const [line] = lines ?? []
  if (error === undefined || line === undefined) return error
  const { code, message, errors } = line
  const inputs = allControls(controls)
  const issues =
    errors === undefined
      ? [{ path: code === 'bad_id' ? 'id' : '', message }]
      : errors.map((one) => atInput(one, inputs))
  const sentence = errors === undefined ? 'This is not a record:' : 'The schema refuses it:'
  return RegistryError.restored({ error: sentence, code: error.code, details: { ...error.details, issues } })
}

function atInput({ path, message }: Issue, inputs: readonly Control[]): Issue {
  const [, missing] = /^must have required property '(.*)'$/s.exec(message) ?? []
  const required = inputs.find(({ field, pointer }) => field.name === missing && parentOf(pointer) === path)
  if (required !== undefined) return { path: required.pointer, message: 'This field is required.' }
  const text = cutText(message, messageMax)
  const input = inputs.findLast(({ pointer, kind }) => kind !== 'group' && path.startsWith(`${pointer}/`))
  if (input === undefined) return { path, message: text }
  const rest = path.slice(input.pointer.length + 1)
  const place = input.kind === 'list' ? `Line ${Number(rest) + 1}` : `/${cutText(rest, messageMax)}`
  return { path: input.pointer, message: `${place} ${text}` }
}

/** Longer messages, which quote names of fields, are cut. Characters. */
const messageMax = 500

const parentOf = (pointer: string): string => pointer.slice(0, pointer.lastIndexOf('/'))
