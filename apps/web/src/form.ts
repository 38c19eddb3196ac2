/** Shared parts of forms: shows refusals on the form itself. */
import { RegistryError } from '@ulmus/registry'
import type { z } from 'zod'
import type { Answer, Form } from './page.ts'

/**
 * Runs a form's action. If it is refused, shows the form again with the entered values, also if something that it names does not exist.
 * @throws errors other than refusals, and refusals of the page itself: `again` reads the page anew and throws if the page is gone
 */
export async function submitted(
  act: () => Promise<Answer>,
  again: (error: RegistryError) => Answer | Promise<Answer>,
): Promise<Answer> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof RegistryError) || concernsPage.has(error.kind)) throw error
    return again(error)
  }
}

/** Refusals that concern the whole page. They get the page of a refusal instead of the form. */
const concernsPage: ReadonlySet<string> = new Set([
  'unauthenticated',
  'limited',
  'unavailable',
  'full',
  'corrupt',
])

/** An entered text, trimmed; undefined if it is empty. */
export const typed = (form: Form, name: string): string | undefined => {
  const text = (form[name] ?? '').replaceAll('\r\n', '\n').trim()
  return text === '' ? undefined : text
}

/** Parses a form by the API's shape. @throws invalid_request, which names the invalid fields */
export function checked<Shape extends z.ZodType>(shape: Shape, value: unknown): z.output<Shape> {
  const { success, data, error } = shape.safeParse(value)
  if (success) return data
  const issues = error.issues.map(({ path, message }) => ({ path: path.join('.'), message }))
  throw refusedFields('Some fields need another value:', issues)
}

/** Refusal of one form field. @param path name of the field. @param message in whole sentences */
export const refusedField = (path: string, message: string): RegistryError =>
  refusedFields(message, [{ path, message }])

/** A fault of a form field. */
export interface Issue {
  /** Name of the field. */
  readonly path: string
  readonly message: string
}

export const refusedFields = (reason: string, issues: readonly Issue[]): RegistryError =>
  new RegistryError('invalid_request', { say: { reason }, details: { issues } })
