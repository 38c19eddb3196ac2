import type { Command } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { pathOf } from '../../reference.ts'

/** `ulmus metadata get [REF]`: prints the metadata of a version as JSON, with or without `--json`. */
const get: Command<Record<never, never>, [reference?: string]> = async (call, _flags, text) => {
  const reference = referenceHere(call.terminal.cwd, text)
  const { client } = await call.connect({ host: reference.host })
  const { metadata } = await client.versions.get(pathOf(reference), reference.version ?? 'latest')
  await call.json(metadata)
}

export default get
