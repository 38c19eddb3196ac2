import type { Command } from '../../context.ts'
import { parseReference } from '../../reference.ts'

type CreateFlags = { readonly name?: string; readonly description?: string; readonly public: boolean }

/** `ulmus collections create owner/slug` */
const create: Command<CreateFlags, [reference: string]> = async (call, flags, text) => {
  const { host: named, owner, slug } = parseReference(text)
  const { client, host } = await call.connect({ host: named })
  const { name, description, public: isPublic } = flags
  const made = await client.collections.create(owner, { slug, name, description, public: isPublic })
  if (flags.json) return call.json(made)
  await call.line(`${made.owner}/${made.slug}`)
  call.say(`${host}/${made.owner}/${made.slug}`)
}

export default create
