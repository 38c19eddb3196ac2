import type { Command } from '../../context.ts'

type CreateFlags = { readonly name?: string }

/** `ulmus orgs create SLUG` */
const create: Command<CreateFlags, [slug: string]> = async (call, flags, slug) => {
  const { client } = await call.connect()
  const made = await client.orgs.create({ slug, displayName: flags.name ?? slug })
  if (flags.json) return call.json(made)
  await call.line(made.slug)
}

export default create
