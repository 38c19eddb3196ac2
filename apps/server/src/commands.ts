/** What the binary does besides serving: `ulmus-server sweep`, `fsck`, `backup`, `restore`, `move`, `--help`. */
import { parseArgs } from 'node:util'
import { openStoreCommands, type StoreCommands, SweepTooLarge } from '@ulmus/registry'
import manifest from '../package.json' with { type: 'json' }
import {
  backupCommands,
  backupHelp,
  exits,
  type Given,
  type Surroundings,
  storesOf,
} from './backup-commands.ts'
import { readConfig } from './config.ts'

const overview = `ulmus-server [command]

  start    Starts the server, as no command does. Settings are environment variables, which its page
           /docs/configuration lists.
  backup   Copies everything to a folder or a bucket, while the server serves.
  restore  Puts a backup into empty stores.
  move     Copies everything to another database, another folder or a bucket.
  sweep    Removes stored objects that no version needs any more.
  fsck     Checks everything that is stored.

  ulmus-server <command> --help says more; --version names the version.
  Commands read the same settings as the server.
`

const help: Record<string, string> = {
  start: `ulmus-server start

  Starts the server and says where it is. SIGTERM and SIGINT end it in order, within 10 s. It exits 0 then, and 1
  with a sentence when it cannot start. There are no flags: settings are environment variables, which its page
  /docs/configuration lists.
`,
  sweep: `ulmus-server sweep [--force]

  Takes objects that no version needs (of deleted collections) out of the index, rewrites packs of which little is
  left, and sets aside packs of which nothing is left and what commits and uploads left behind that came to nothing.
  What has been set aside for 7 days and is still not needed is removed. Nothing younger than a day is touched, but
  for what was withdrawn to be erased, which goes at once.
  Uploads that no version had in UPLOAD_DAYS are forgotten, and set aside by the next sweep; files that a version
  ever had are kept. The server does the same once a day.

  --force  Goes on though more than half of the object store would be set aside.

  With DATABASE_URL it may run beside servers; the embedded database must not be in use.
  Removes nothing and exits 1 when an object that a version needs cannot be read, and when more than half of the
  store (and more than 1 MiB) would be set aside: the database may then be the wrong one.
`,
  fsck: `ulmus-server fsck [--files] [--rebuild-index]

  Checks every pack, object, delta chain, version, tree and body, and the database's index against the packs.
  Prints one line for each thing that is damaged. Exits 0 when nothing is, 1 when something is.

  --files          Reads every uploaded file, too, and checks its hash.
  --rebuild-index  First makes the index anew from the packs alone, for a database that lost it or is older
                   than the packs. Joins a new database to a store whose own is lost. No server may run meanwhile.

  With DATABASE_URL a check may run beside servers; the embedded database must not be in use.
`,
  ...backupHelp,
}

/** What each command takes: switches, options with a value, and what it must be given, by the name that its help has. */
const forms: Record<string, Form> = {
  start: {},
  sweep: { switches: ['force'] },
  fsck: { switches: ['files', 'rebuild-index'] },
  backup: { options: ['keep', 'settings'], operand: 'TARGET' },
  restore: { options: ['backup', 'settings'], operand: 'SOURCE' },
  move: { operand: 'FILE' },
}

interface Form {
  switches?: readonly string[]
  options?: readonly string[]
  operand?: string
}

/** Runs a command line without the program's name. Resolves to the exit code. @throws what opening the stores throws. */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const [command = '', ...rest] = args
  const usage = help[command] ?? overview
  if (args.includes('--help') || args.includes('-h') || command === 'help') {
    around.out(usage)
    return exits.well
  }
  if (command === '--version') {
    around.out(`${manifest.version}\n`)
    return exits.well
  }
  let given: Given
  try {
    given = givenTo(command, rest)
  } catch (error) {
    around.err(`${(error as Error).message}\n\n${usage}`)
    return exits.misused
  }
  const work = backupCommands[command]
  if (work !== undefined) return work(given, around)
  const commands = await open(around, given['rebuild-index'] ? 'rebuild' : 'check')
  try {
    return command === 'sweep' ? await sweep(commands, given, around) : await fsck(commands, given, around)
  } finally {
    await commands.close()
  }
}

/** @throws Error for a command or an argument that there is not, and for one that is lacking. */
function givenTo(command: string, args: string[]): Given {
  const form = forms[command]
  if (form === undefined) throw new Error(`There is no command "${command}".`)
  const { switches = [], options = [], operand } = form
  const kinds = [
    ...switches.map((name) => [name, { type: 'boolean' as const }] as const),
    ...options.map((name) => [name, { type: 'string' as const }] as const),
  ]
  const parsed = parseArgs({
    args,
    options: Object.fromEntries(kinds),
    allowPositionals: operand !== undefined,
  })
  const [named, more] = parsed.positionals
  if (operand !== undefined && named === undefined) throw new Error(`${operand} is not given.`)
  if (more !== undefined) throw new Error(`Unexpected argument '${more}'.`)
  return { ...parsed.values, ...(named !== undefined && { operand: named }) }
}

function open(around: Surroundings, purpose: 'check' | 'rebuild'): Promise<StoreCommands> {
  return openStoreCommands(storesOf(around.environment, around), purpose)
}

async function sweep(
  commands: StoreCommands,
  given: Given,
  { out, err, environment }: Surroundings,
): Promise<number> {
  try {
    const { uploadDays } = readConfig(environment)
    const done = await commands.sweep({ force: given['force'] === true, uploadDays })
    const { uploadsForgotten, setAside, removed, aside, erasuresHeldUp } = done
    for (const { what, why } of erasuresHeldUp)
      err(`NOT ERASED ${what}, until what is in the way is mended: ${why}\n`)
    out(
      `${done.versions} versions need ${done.living} objects. Erased: ${done.versionsErased} withdrawn versions.\n` +
        `Taken out of the index: ${done.objectsRemoved} objects. ` +
        `Written anew: ${done.packsRewritten} packs, as ${done.bytesWritten} bytes.\n` +
        `Uploads forgotten, which no version had in ${uploadDays} days: ${uploadsForgotten.blobs} of ${uploadsForgotten.bytes} bytes.\n` +
        `Set aside for 7 days: ${setAside.blobs} blobs of ${setAside.bytes} bytes. ` +
        `Removed: ${removed.blobs} blobs of ${removed.bytes} bytes. ` +
        `Set aside in all: ${aside.blobs} blobs of ${aside.bytes} bytes.\n`,
    )
    return erasuresHeldUp.length === 0 ? exits.well : exits.damaged
  } catch (error) {
    if (error instanceof SweepTooLarge) {
      err(`${error.message}\n`)
      return exits.damaged
    }
    if (!(error instanceof Error) || !/^Object(?:Corrupt|Missing)$/.test(error.name)) throw error
    err(
      `Nothing was removed, since it is not certain what is needed. ${error.message} \`ulmus-server fsck\` says more.\n`,
    )
    return exits.damaged
  }
}

async function fsck(commands: StoreCommands, given: Given, { out }: Surroundings): Promise<number> {
  let damaged = false
  const onDamage = ({ what, why }: { what: string; why: string }) => {
    damaged = true
    out(`DAMAGED ${what}: ${why}\n`)
  }
  if (given['rebuild-index']) {
    const { packs, objects, incomplete, damages } = await commands.rebuildIndex()
    for (const damage of damages) onDamage(damage)
    out(
      `The index has ${objects} objects of ${packs} packs; ${incomplete} whose bases are gone were left out.\n`,
    )
  }
  const report = await commands.fsck({ files: given['files'] === true, onDamage })
  out(
    `Checked ${report.packs} packs, ${report.objects} objects, ${report.versions} versions, ${report.records} records` +
      `${given['files'] ? `, ${report.files} files` : ''}: ` +
      `${report.damages === 0 ? 'nothing is damaged' : `${report.damages} things are damaged`}.\n`,
  )
  return damaged ? exits.damaged : exits.well
}
