import type { Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'
import { usageError } from '../../terminal/failure.ts'
import { type VisibilityFlags, visibilityIn } from './visibility.ts'

type EditFlags = VisibilityFlags & {
  readonly name?: string
  readonly description?: string
  readonly slug?: string
}

/** `ulmus collections edit REF`: changes name, description, slug or visibility; fields without a flag stay. */
const edit: Command<EditFlags, [reference: string]> = async (call, flags, text) => {
  const { name, description, slug } = flags
  const changes = { name, description, slug, ...visibilityIn(flags) }
  if (Object.values(changes).every((value) => value === undefined))
    throw usageError('Nothing to change. Use --name, --description, --slug, --public or --private.')
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  const done = await client.collections.update(pathOf(reference), changes)
  if (flags.json) return call.json(done)
  call.say(`${pathOf(reference)} is changed.`)
}

export default edit
