/** Command `ulmus-server export`: prints everything that is stored of a user who cannot sign in any more. */
import { openStoreCommands, RegistryError } from '@ulmus/registry'
import { OpenCollection } from '@ulmus/wire'
import { exits, type Given, type Surroundings, storesOf } from './backup-commands.ts'

export const accountHelp = {
  export: `ulmus-server export HANDLE --reason TEXT

  Print everything that is stored of a user, as one JSON document: the same as the user's own download
  (GET /api/accounts/me/export). For access requests of people who cannot sign in any more. It contains personal
  data: write it into a file that only you can read.

  --reason TEXT  Why, such as the reference of the request. It is recorded in the audit log of the user
                 (account.exported), which the user and operators read.

  With DATABASE_URL it may run beside servers; the embedded database must not be in use.
`,
}

export async function exportAccount(given: Given, around: Surroundings): Promise<number> {
  const reason = OpenCollection.shape.reason.safeParse(given['reason'] ?? '')
  if (!reason.success) {
    around.err(`--reason must be one line of 1 to 1,000 characters.\n\n${accountHelp.export}`)
    return exits.misused
  }
  const commands = await openStoreCommands(storesOf(around.environment, around))
  try {
    const pieces = await commands.exportAccount(String(given['operand']), reason.data)
    for await (const piece of pieces) around.out(Buffer.from(piece).toString())
    return exits.well
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error
    around.err(`${error.message}\n`)
    return exits.damaged
  } finally {
    await commands.close()
  }
}
