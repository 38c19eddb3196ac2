/** Ticks in forms for private data that a save would make public, and the refusal of a save without them. */
import { RegistryError } from '@ulmus/registry'
import type { Refused } from '../../components/form.tsx'
import { cutName, cutText } from '../../format.ts'
import { refusedExposures } from '../../islands/shared/exposures.ts'
import { ExposureTicks } from '../../islands/shared/ticks.tsx'
import type { Form } from '../../page.ts'

/** Maximum number of ticks. */
const listedMax = 100
/** Maximum length of a name, and of a reason. Characters. */
const [nameMax, whyMax] = [100, 500]

/** Entries of `confirm_public` that a form has ticked. */
export const confirmedIn = (form: Form): string[] =>
  Object.entries(form).flatMap(([field, name]) => (field.startsWith('public.') ? [name] : []))

/** Ticked names stay, because the refusal names only those that are not. */
export function Confirmations({ error, form }: { error: Refused; form: Form }) {
  const confirmed = confirmedIn(form)
  const refused = refusedExposures(error?.details ?? {})
  const kept = confirmed.filter((name) => refused.every((one) => one.name !== name))
  const exposures = [...refused, ...kept.map((name) => ({ name, label: name, why: '' }))]
  if (exposures.length === 0) return null
  const listed = exposures.slice(0, listedMax).map(({ name, label = name, why }) => ({
    ...{ name, label: cutName(label, nameMax), why: cutText(why, whyMax) },
  }))
  return <ExposureTicks exposures={listed} confirmed={confirmed} />
}

/** A refusal in words of the form if its ticks lift it; others are returned unchanged. */
export function inFormWords(error: Refused): Refused {
  if (error === undefined || refusedExposures(error.details).length === 0) return error
  const { code, details } = error
  const way = code === 'private_value_in_id' ? 'use ids without private values' : 'keep it private'
  const sentence = `Nothing was saved: the change would make private data public. Tick below what may become public, or ${way}.`
  return RegistryError.restored({ error: sentence, code, details: { ...details } })
}
