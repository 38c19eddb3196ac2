import type { Command } from '../../context.ts'
import { parseReference } from '../../reference.ts'
import { type VisibilityFlags, visibilityIn, visibilityMade } from './visibility.ts'

type CreateFlags = VisibilityFlags & { readonly name?: string; readonly description?: string }

/** `ulmus collections create owner/slug`: creates a collection without versions, and prints its path. */
const create: Command<CreateFlags, [reference: string]> = async (call, flags, text) => {
  const wanted = visibilityIn(flags)
  const { host: named, owner, slug } = parseReference(text)
  const { client, host } = await call.connect({ host: named })
  const { name, description } = flags
  const made = await client.collections.create(owner, { slug, name, description, ...wanted })
  if (flags.json) return call.json(made)
  const collection = `${made.owner}/${made.slug}`
  await call.line(collection)
  call.say(`Created the collection ${collection}, ${await visibilityMade(client, collection, wanted)}.`)
  call.say(`${host}/${collection}`)
}

export default create
