/** Private content that becomes public, as text for people and as entries of `confirm_public`. */
import { type MadePublic, nameToConfirm } from '@ulmus/content'

/** Describes a private name that becomes public. */
export function exposureText({ type, field, privateIn }: MadePublic): string {
  if (field === undefined) return `the type ${type}, with all its records`
  const others = privateIn.filter((other) => other !== type)
  return others.length === 0
    ? `the field ${field} of ${type}`
    : `the field ${field} of ${type}, which is private in ${others.join(', ')}`
}

export interface RefusedExposure {
  /** Entry of `confirm_public`. */
  readonly confirm: string
  readonly what: string
}

/** Members of the refusals that `confirm_public` lifts. */
interface RefusalFacts {
  readonly madePublic?: readonly { type: string; field: string | null; private_in: readonly string[] }[]
  readonly valuesInIds?: readonly { type: string; field: string }[]
  readonly madePublicRecords?: readonly { type: string; id: string }[]
}

/** Names in a refusal of the registry, which may know more than the folder, such as the privacy of earlier versions. */
export function refusedExposures(body: object): RefusedExposure[] {
  const { madePublic = [], valuesInIds = [], madePublicRecords = [] } = body as RefusalFacts
  const recordTypes = new Set(madePublicRecords.map(({ type }) => type))
  return [
    ...madePublic.map(({ type, field, private_in: privateIn }) => {
      const made = { type, field: field ?? undefined, privateIn } as MadePublic
      return { confirm: nameToConfirm(made), what: exposureText(made) }
    }),
    ...valuesInIds.map(({ type, field }) => ({
      confirm: field,
      what: `the field ${field} of ${type}, in the ids of its records`,
    })),
    ...[...recordTypes].map((type) => ({
      confirm: `${type}/*`,
      what: `all records of ${type} that were private and come without their mark`,
    })),
  ]
}
