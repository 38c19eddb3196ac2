import type { Command } from '../context.ts'
import { parseReference, pathOf } from '../reference.ts'

type ForkFlags = { readonly slug?: string; readonly private: boolean }

/** `ulmus fork REF ORG`: forks a collection within its registry, and prints the path of the fork. */
const fork: Command<ForkFlags, [reference: string, org: string]> = async (call, flags, text, targetOrg) => {
  const reference = parseReference(text)
  const { client, host } = await call.connect({ host: reference.host })
  const what = { targetOrg, slug: flags.slug, ...(flags.private ? { public: false } : {}) }
  const made = await client.collections.fork(pathOf(reference), what)
  if (flags.json) return call.json(made)
  await call.line(`${made.owner}/${made.slug}`)
  call.say(`${host}/${made.owner}/${made.slug}`)
}

export default fork
