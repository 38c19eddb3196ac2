import type { CreatePublisher } from '@ulmus/wire'
import type { Command } from '../../context.ts'
import { parseReference, pathOf } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'

type AddFlags = {
  readonly issuer: string
  readonly claim?: readonly string[]
  readonly scope: 'read' | 'write'
  readonly minutes?: number
  readonly shows: 'none' | 'members' | 'everyone'
  readonly label?: string
}

/** `ulmus publishers add REF --issuer URL --claim name=text` */
const add: Command<AddFlags, [reference: string]> = async (call, flags, text) => {
  const reference = parseReference(text)
  const { issuer, scope, shows, label, minutes: lifetimeMinutes } = flags
  if (lifetimeMinutes !== undefined && (lifetimeMinutes < 5 || lifetimeMinutes > 60))
    throw usageError(`--minutes ${lifetimeMinutes}: use 5 to 60.`)
  const wanted = {
    ...{ issuer, scope, shows, claims: claimsIn(flags.claim ?? []) },
    ...(label !== undefined && { label }),
    ...(lifetimeMinutes !== undefined && { lifetimeMinutes }),
  }
  const { client } = await call.connect({ host: reference.host })
  const made = await client.publishers.add(pathOf(reference), wanted)
  if (flags.json) return call.json(made)
  await call.line(made.id)
  call.say(`Jobs of ${made.label} may now publish to ${pathOf(reference)}.`)
}

/** A claim that is given several times may have any of the texts. */
function claimsIn(given: readonly string[]): CreatePublisher['claims'] {
  const claims = new Map<string, string[]>()
  for (const one of given) {
    const [, name, text] = /^([^=]+)=(.+)$/s.exec(one) ?? []
    if (name === undefined || text === undefined)
      throw usageError(`--claim ${one}: use name=text, such as project_path=group/project.`)
    claims.set(name, [...(claims.get(name) ?? []), text])
  }
  return Object.fromEntries(
    [...claims].map(([name, texts]) => [name, texts.length === 1 ? texts[0]! : texts]),
  )
}

export default add
