/** Pages with forms, which show refusals on the form itself. */
import { RegistryError } from '@ulmus/registry'
import type { z } from 'zod'
import { type Answer, type Form, type Page, Plain, Redirect, type Visit } from './page.ts'

/** State of a page's form. `Result`: members that an accepted form adds. */
export type FormState<Result extends object = object> = Partial<Result> & {
  /** Entered values; empty before the form is sent. */
  readonly form: Form
  /** Refusal of the form. */
  readonly error?: RegistryError | undefined
}

/** Answer of an action whose page is shown again, with results or entered values. */
export class Again<Result extends object = object> {
  readonly state: Partial<FormState<Result>>

  constructor(state: Partial<FormState<Result>>) {
    this.state = state
  }
}

/** Handles a form, or one of several on a page. */
export type FormAction<Result extends object = object> = (
  visit: Visit,
  form: Form,
) => Promise<Answer | Again<Result>>

/**
 * A page whose form shows itself again if it is refused, also if something that it names does not exist.
 * @param act handles the form. @param show renders the page, and throws if the page itself is refused
 * @param options.isForAnyone false: for signed-in users only (default)
 */
export function formPage<Result extends object = object>(
  act: FormAction<Result>,
  show: (visit: Visit, state: FormState<Result>) => Answer | Promise<Answer>,
  { isForAnyone = false }: { isForAnyone?: boolean } = {},
): Page {
  const render = async (visit: Visit, state: Partial<FormState<Result>>): Promise<Answer> => {
    const answer = await show(visit, { form: {}, ...state } as FormState<Result>)
    if (answer instanceof Redirect || answer instanceof Plain) return answer
    return { isPublic: false, refused: state.error, ...answer }
  }
  return {
    needsCaller: !isForAnyone,
    show: (visit) => render(visit, {}),
    async act(visit, form) {
      try {
        const answer = await act(visit, form)
        return answer instanceof Again ? await render(visit, answer.state) : answer
      } catch (error) {
        if (!(error instanceof RegistryError) || concernsPage.has(error.kind)) throw error
        return render(visit, { form, error } as Partial<FormState<Result>>)
      }
    },
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

/** Does an act of a form. A refusal because what a field names does not exist becomes one of that field. @param message in whole sentences */
export async function orNoSuch<T>(path: string, message: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act()
  } catch (error) {
    if (!(error instanceof RegistryError) || error.kind !== 'missing') throw error
    throw refusedField(path, message)
  }
}

/** A fault of a form field. */
export interface Issue {
  /** Name of the field. */
  readonly path: string
  readonly message: string
}

export const refusedFields = (reason: string, issues: readonly Issue[]): RegistryError =>
  new RegistryError('invalid_request', { say: { reason }, details: { issues } })
