import { resultText } from '@ulmus/wire/names'
import type { Command } from '../../context.ts'
import { exitCodes } from '../../terminal/exit-codes.ts'

/** `ulmus webhooks test ID`: sends a test request. Ends with 1 unless the receiver accepted it. */
const test: Command<Record<never, never>, [id: string]> = async (call, flags, id) => {
  const { client } = await call.connect()
  const result = await client.webhooks.test(id)
  if (!result.delivered) call.terminal.fail(exitCodes.failed)
  if (flags.json) return call.json(result)
  const words = `${resultText(result)} (${result.milliseconds} ms)`
  await call.line(result.delivered ? `Delivered: ${words}` : `Not delivered: ${words}`)
}

export default test
