/** Commands of the binary: `ulmus-server config`, `sweep`, `fsck`, `secrets`, `log`, `export`, `backup`, `restore`, `move`, `--help`. */
import { parseArgs } from 'node:util'
import {
  counted,
  LogKeyUnfitError,
  newLogKey,
  ObjectCorruptError,
  ObjectMissingError,
  openStoreCommands,
  type StoreCommands,
  SweepTooLargeError,
} from '@ulmus/registry'
import { accountHelp, exportAccount } from './account-commands.ts'
import {
  backupCommands,
  backupHelp,
  exits,
  type Given,
  type Surroundings,
  storesOf,
} from './backup-commands.ts'
import { release } from './build.ts'
import { readConfig, readPublicUrl } from './config.ts'
import { configHelp, printSettings } from './config-command.ts'

const overview = `ulmus-server [command]

  start    Start the server (default). Settings are environment variables: see its page /docs/configuration.
  config   Print the settings, and where each is from.
  backup   Copy everything to a folder or a bucket, while the server runs.
  restore  Restore a backup into empty stores.
  move     Copy everything to another database, folder or bucket.
  sweep    Remove stored objects that no version needs.
  fsck     Check all stored data.
  secrets  Encrypt secrets of webhooks and mails with another key.
  log      Make a key for the signed log, or give the log another name.
  export   Print everything that is stored of a user.

  Run ulmus-server <command> --help for details, --version for the version and its commit.
  Commands read the same settings as the server.
`

const help: Record<string, string> = {
  start: `ulmus-server start [--force]

  Start the server and print its address. SIGTERM and SIGINT shut it down within 10 s, with exit code 0. If it
  cannot start, it prints the reason and exits 1. Settings are environment variables, listed on its page
  /docs/configuration.

  --force  Migrate the database although servers of another release are alive, which then end. Without it, a start
           that would migrate under them is refused.
`,
  ...configHelp,
  sweep: `ulmus-server sweep [--force]

  Remove objects that no version needs (of deleted collections) from the index, rewrite packs that are mostly unused,
  and set aside unused packs and leftovers of failed commits and uploads. Blobs set aside for KEEP_DELETED_DAYS (7) and
  still unused are removed. Data younger than a day is kept, except data of versions withdrawn with erase, which goes at once.
  Uploads that no version used within UPLOAD_DAYS are forgotten, and set aside by the next sweep; files that a version
  ever used are kept. The server sweeps by itself once a day.

  --force  Continue even if more than half of the object store would be set aside.

  With DATABASE_URL it may run beside servers; the embedded database must not be in use.
  Removes nothing and exits 1 if a needed object cannot be read, or if more than half of the store (and more than
  1 MiB) would be set aside: the database may then be the wrong one.
`,
  fsck: `ulmus-server fsck [--files] [--rebuild-index]

  Check every pack, object, delta chain, version, tree and body, and the database's index against the packs.
  Prints one line per damaged item. Exits 0 if nothing is damaged, else 1.

  --files          Also check the hash of every uploaded file.
  --rebuild-index  First rebuild the index from the packs, for a database that lost it or is older than the packs.
                   Joins a new database to a store whose own is lost. Refused while a server runs: stop all first.

  With DATABASE_URL a check may run beside servers; the embedded database must not be in use.
`,
  secrets: `ulmus-server secrets

  Encrypt the secrets of webhooks and the links in unsent mails with the key in SECRETS_KEY_FILE instead of the one in
  SECRETS_KEY_FILE_FORMER, which is not needed afterwards. To change the key: set both on all servers and restart them,
  run this command with the same settings, unset SECRETS_KEY_FILE_FORMER and restart again. Then delete the former key.

  With DATABASE_URL it may run beside servers; the embedded database must not be in use.
  Prints the webhooks and mails whose secret no key opens, and exits 1 if there are any.
`,
  log: `ulmus-server log key [--name NAME]
ulmus-server log restart

  key: Print a new key for the signed log. Store it in a file that only the account of the server can read, and name the
  file in VERSION_LOG_KEY_FILE, the same on all servers of a site (default: log.key in DATA_DIR with the embedded
  database, else none). Keep a copy: backups do not contain it.

  --name NAME  Name of the log (default: the host of PUBLIC_URL, else localhost- and random digits, with /log/1).
               It must be unique and have no spaces.

  restart: Give the log another name. Its entries stay; readers must trust its keys again. Run it after the database
  went back to an earlier state by other means than restore (which does so itself): the log may have been signed
  since, and must not contradict that. It also gives the log of a trial, localhost-…, the host of PUBLIC_URL.
  With DATABASE_URL it may run beside servers.
`,
  ...backupHelp,
  ...accountHelp,
}

/** Arguments of each command: switches, options with a value, the required operand, and the switch that may stand instead. */
const forms: Record<string, Form> = {
  start: {},
  config: { options: ['settings'] },
  sweep: { switches: ['force'] },
  fsck: { switches: ['files', 'rebuild-index'] },
  secrets: {},
  log: { options: ['name'], operand: 'key or restart' },
  export: { options: ['reason'], operand: 'HANDLE' },
  backup: { options: ['keep', 'settings'], operand: 'TARGET' },
  restore: { switches: ['check', 'log-continues'], options: ['backup', 'settings'], operand: 'SOURCE' },
  move: { switches: ['back', 'log-continues'], operand: 'FILE', instead: 'back' },
}

interface Form {
  switches?: readonly string[]
  options?: readonly string[]
  operand?: string
  instead?: string
}

/** Runs a command line without the program's name. Resolves to the exit code. @throws errors of opening the stores */
export async function runCommand(args: readonly string[], around: Surroundings): Promise<number> {
  const [command = '', ...rest] = args
  const usage = help[command] ?? overview
  if (args.includes('--help') || args.includes('-h') || command === 'help') {
    around.out(usage)
    return exits.well
  }
  if (command === '--version') {
    around.out(`${release}\n`)
    return exits.well
  }
  let given: Given
  try {
    given = givenTo(command, rest)
  } catch (error) {
    around.err(`${(error as Error).message}\n\n${usage}`)
    return exits.misused
  }
  if (command === 'log' && given['operand'] === 'key') return logKey(given, around)
  if (command === 'log' && given['operand'] !== 'restart') {
    around.err(`There is no command "log ${given['operand']}".\n\n${usage}`)
    return exits.misused
  }
  if (command === 'export') return exportAccount(given, around)
  if (command === 'config') return printSettings(given, around)
  const work = backupCommands[command]
  if (work !== undefined) return work(given, around)
  const commands = await open(around, given['rebuild-index'] ? 'rebuild' : 'check')
  try {
    if (command === 'secrets') return await secrets(commands, around)
    if (command === 'log') {
      const name = await commands.restartLog(readPublicUrl(around.environment) ?? undefined)
      around.out(`The log is called ${name ?? 'by another name'} from now on. Tell those who verify it.\n`)
      return exits.well
    }
    return command === 'sweep' ? await sweep(commands, given, around) : await fsck(commands, given, around)
  } finally {
    await commands.close()
  }
}

/** @throws Error for an unknown command, and for an unknown or missing argument */
function givenTo(command: string, args: string[]): Given {
  const form = forms[command]
  if (form === undefined) throw new Error(`There is no command "${command}".`)
  const { switches = [], options = [], operand, instead = '' } = form
  const kinds = [
    ...switches.map((name) => [name, { type: 'boolean' as const }] as const),
    ...options.map((name) => [name, { type: 'string' as const }] as const),
  ]
  const isPositional = operand !== undefined
  const parsed = parseArgs({ args, options: Object.fromEntries(kinds), allowPositionals: isPositional })
  const given: Given = { ...parsed.values, operand: parsed.positionals[0] }
  const wanted = isPositional && given[instead] !== true ? 1 : 0
  if (parsed.positionals.length < wanted) throw new Error(`${operand} is not given.`)
  const more = parsed.positionals[wanted]
  if (more !== undefined) throw new Error(`Unexpected argument '${more}'.`)
  return given
}

function open(around: Surroundings, purpose: 'check' | 'rebuild'): Promise<StoreCommands> {
  return openStoreCommands(storesOf(around.environment, around), purpose)
}

const blobsText = ({ blobs, bytes }: { blobs: number; bytes: number }): string =>
  `${counted(blobs, 'blob')} of ${counted(bytes, 'byte')}`

async function sweep(
  commands: StoreCommands,
  given: Given,
  { out, err, environment }: Surroundings,
): Promise<number> {
  try {
    const { uploadDays, keepDeletedDays } = readConfig(environment)
    const done = await commands.sweep({
      force: given['force'] === true,
      uploadDays,
      asideSeconds: keepDeletedDays * 86_400,
    })
    const { uploadsForgotten, setAside, removed, aside, erasuresHeldUp } = done
    for (const { what, why } of erasuresHeldUp)
      err(`NOT ERASED ${what}, until the damage is repaired: ${why}\n`)
    out(
      `${counted(done.versions, 'version needs', 'versions need')} ${counted(done.living, 'object')}. Erased: ${counted(done.versionsErased, 'withdrawn version')}.\n` +
        `Taken out of the index: ${counted(done.objectsRemoved, 'object')}. ` +
        `Rewritten: ${counted(done.packsRewritten, 'pack')}, as ${counted(done.bytesWritten, 'byte')}.\n` +
        `Uploads forgotten, which no version had in ${counted(uploadDays, 'day')}: ${blobsText(uploadsForgotten)}.\n` +
        `Set aside for ${counted(keepDeletedDays, 'day')}: ${blobsText(setAside)}. ` +
        `Removed: ${blobsText(removed)}. Set aside in total: ${blobsText(aside)}.\n`,
    )
    return erasuresHeldUp.length === 0 ? exits.well : exits.damaged
  } catch (error) {
    if (error instanceof SweepTooLargeError) {
      err(`${error.message}\n`)
      return exits.damaged
    }
    if (!(error instanceof ObjectCorruptError || error instanceof ObjectMissingError)) throw error
    err(
      `Nothing was removed, since a needed object could not be read. ${error.message} Run \`ulmus-server fsck\`.\n`,
    )
    return exits.damaged
  }
}

function logKey(given: Given, { out, err, environment }: Surroundings): number {
  const publicUrl = readPublicUrl(environment)
  const name = given['name'] === undefined ? undefined : String(given['name'])
  try {
    out(newLogKey(publicUrl ?? undefined, name))
    return exits.well
  } catch (error) {
    if (!(error instanceof LogKeyUnfitError)) throw error
    err(`${error.message}\n`)
    return exits.damaged
  }
}

async function secrets(commands: StoreCommands, { out, err, environment }: Surroundings): Promise<number> {
  const { kept, lost } = await commands.renewSecrets(readConfig(environment).secretsKeys)
  const webhooks = counted(kept.webhooks, 'secret of a webhook', 'secrets of webhooks')
  out(`The present key encrypts ${webhooks} and ${counted(kept.mails, 'link')} in unsent mails.\n`)
  for (const id of lost.webhooks) err(`LOST the secret of webhook ${id}. It needs a new one.\n`)
  for (const { id, organization } of lost.mails)
    err(
      `LOST the link in mail ${id}. An owner of ${organization} must delete the invitation and invite again.\n`,
    )
  return lost.webhooks.length + lost.mails.length === 0 ? exits.well : exits.damaged
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
      `The index has ${counted(objects, 'object')} of ${counted(packs, 'pack')}. Left out, because their bases are gone: ${incomplete}.\n`,
    )
  }
  const report = await commands.fsck({ files: given['files'] === true, onDamage })
  out(
    `Checked ${counted(report.packs, 'pack')}, ${counted(report.objects, 'object')}, ` +
      `${counted(report.versions, 'version')}, ${counted(report.records, 'record')}` +
      `${given['files'] ? `, ${counted(report.files, 'file')}` : ''}: ` +
      `${report.damages === 0 ? 'nothing is damaged' : counted(report.damages, 'thing is damaged', 'things are damaged')}.\n`,
  )
  return damaged ? exits.damaged : exits.well
}
