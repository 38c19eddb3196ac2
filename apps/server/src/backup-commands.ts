/** Commands `ulmus-server backup`, `restore` and `move`: they read settings, call the registry and print the outcome. */
import { resolve } from 'node:path'
import {
  BlobDamagedError,
  BlobMissingError,
  backUp,
  checkBackup,
  counted,
  DumpRefusedError,
  DumpUnreadableError,
  type Log,
  LogKeyUnfitError,
  move,
  moveBack,
  type RestoredLog,
  readWitnesses,
  restore,
  type ShelfPlace,
  ShelfUnfitError,
  type StoresConfig,
  StoresUnfitError,
} from '@ulmus/registry'
import { release } from './build.ts'
import { readConfig, readSecrets } from './config.ts'
import { aboutLog, aboutSecrets, leftOut } from './key-files.ts'
import { settingsOf } from './settings/env-file.ts'
import { refuseRoot } from './settings/owner.ts'
import { readBackupBucket } from './variables/bucket-settings.ts'
import { outsideOf } from './variables/outside-settings.ts'
import { ConfigError, type Environment, variablesOf } from './variables/variables.ts'

/** Exit codes: success; damage found, or the command refused; wrong command line. */
export const exits = { well: 0, damaged: 1, misused: 2 }

/** Flags and operand of a command line. */
export type Given = Readonly<Record<string, string | boolean | undefined>>

export interface Surroundings {
  /** Source of the settings. */
  readonly environment: Environment
  out(text: string): void
  err(text: string): void
}

export const backupHelp: Record<string, string> = {
  backup: `ulmus-server backup TARGET [--keep N] [--settings FILE]

  Copy a consistent snapshot of the database and all its objects to TARGET: a folder, or s3://bucket/prefix.
  Servers keep running. Blobs of earlier backups in TARGET are not copied again. A backup appears only when it is
  complete. It contains private data and hashes of keys: restrict access to TARGET.

  --keep N         Keep the last N backups in TARGET and remove the others.
  --settings FILE  Read S3_ENDPOINT and AWS_… variables of a bucket TARGET from this file (default: the
                   environment).

  With the embedded database, the running server makes the dump, and the command must run as the same account.
  Without a running server the command opens the database itself. Exits 0 on success, 1 with a message on failure.
`,
  restore: `ulmus-server restore SOURCE [--backup ID] [--settings FILE] [--log-continues]
ulmus-server restore SOURCE --check [--backup ID] [--settings FILE]

  Restore the last backup in SOURCE, a TARGET of backup, into the database and the object store of the settings.
  Both must be empty. Every blob is checked. If interrupted, run the same command again to resume. Stop all servers
  first.

  --check          Only read all of the backup and check its hashes. Writes nothing, and may run beside servers.
                   Prints one line per fault, and exits 1 if there are any.
  --backup ID      Restore this backup, by its time as printed by backup (default: the last).
  --settings FILE  As for backup.
  --log-continues  Keep the name of the signed log (default: it gets a new one, since the old one may have been signed
                   after the backup). Use it only if the registry was stopped before the backup. Witnesses of
                   VERSION_LOG_WITNESSES_FILE are asked first; exits 1 if one knows a later log or does not answer.
`,
  move: `ulmus-server move FILE
ulmus-server move --back [--log-continues]

  Copy the whole registry from the stores of the present settings to those in FILE, an environment file as systemd
  reads it: to another DATABASE_URL or none, another OBJECT_STORE or none, another DATA_DIR. FILE must have all
  settings of the moved server, so start from a copy of the present ones. A store with the same place in both is not
  moved. The new stores must be empty. The old ones keep their data, and servers refuse to start on them.

  --back           Give up a move from the stores of the present settings: servers start on them again, without all that
                   was written in the new place since. Refused if only the objects were moved, and the database went on.
                   To keep what was written, move it to empty stores instead.
  --log-continues  With --back: keep the name of the signed log (default: it gets a new one, since the new place may have
                   signed the old one). Use it only if no server started in the new place. Witnesses are asked first, as
                   by restore.

  Stop all servers first.
`,
}

const blobsText = ({ count, bytes }: { count: number; bytes: number }): string =>
  `${counted(count, 'blob')} of ${counted(bytes, 'byte')}`

export const backupCommands: Record<string, (given: Given, around: Surroundings) => Promise<number>> = {
  backup: (given, around) =>
    orRefused(around, async () => {
      const keep = given['keep'] === undefined ? undefined : Number(given['keep'])
      if (keep !== undefined && !(Number.isSafeInteger(keep) && keep > 0)) {
        around.err(`--keep must be a number from 1; it is "${given['keep']}".\n\n${backupHelp['backup']}`)
        return exits.misused
      }
      const began = performance.now()
      const { id, rows, blobs, copied, removed, unrecorded } = await backUp(
        storesOf(around.environment, around),
        placeOf(given, around, 'TARGET'),
        { by: release, keep },
      )
      around.out(
        `The backup ${id} is complete: ${counted(rows, 'row')}, ${blobsText(blobs)}, in ${secondsSince(began)} s. ` +
          `Copied now: ${blobsText(copied)}.\n` +
          (removed.length > 0 ? `Removed: ${removed.join(', ')}.\n` : '') +
          leftOut(around.environment),
      )
      if (unrecorded !== undefined)
        around.err(
          `The metrics do not show this backup, since the database could not record it: ${unrecorded}\n`,
        )
      return exits.well
    }),

  restore: (given, around) =>
    orRefused(around, async () => {
      const began = performance.now()
      const wanted = given['backup'] === undefined ? undefined : String(given['backup'])
      if (given['check'] === true) return check(placeOf(given, around, 'SOURCE'), wanted, around)
      const config = storesOf(around.environment, around)
      const continues = given['log-continues'] === true
      const log = continues ? continuedLog(around.environment) : undefined
      const { id, rows, blobs, ...sealed } = await restore(
        placeOf(given, around, 'SOURCE'),
        config,
        wanted,
        log,
      )
      around.out(
        `The backup ${id} is restored: ${counted(rows, 'row')}, ${blobsText(blobs)}, in ${secondsSince(began)} s.\n` +
          '`ulmus-server fsck` checks all of it; then start the server.\n',
      )
      around.out(
        aboutSecrets(sealed, around.environment) +
          aboutLog(continues ? 'continues' : 'restored', around.environment),
      )
      return exits.well
    }),

  move: (given, around) =>
    orRefused(around, async () => {
      const continues = given['log-continues'] === true
      if (given['back'] === true) return await back(continues, around)
      if (continues) {
        around.err(`--log-continues is for --back: a move always keeps the log.\n\n${backupHelp['move']}`)
        return exits.misused
      }
      const began = performance.now()
      const file = String(given['operand'])
      const settings = settingsOfNewPlaces(file, around)
      const to = storesOf(settings, around)
      const { rows, blobs, database, objects, ...sealed } = await move(
        storesOf(around.environment, around),
        to,
      )
      if (database !== undefined) around.out(`${counted(rows, 'row is', 'rows are')} in ${database}.\n`)
      if (objects !== undefined) around.out(`${blobsText(blobs)}: ${objects}.\n`)
      around.out(
        `Moved in ${secondsSince(began)} s. Start the server with the settings of ${file}: the old stores are refused from now on.\n`,
      )
      around.out(
        aboutSecrets(sealed, settings) + (database === undefined ? '' : aboutLog('continues', settings)),
      )
      return exits.well
    }),
}

async function back(continues: boolean, around: Surroundings): Promise<number> {
  const settled = continues ? continuedLog(around.environment) : undefined
  const { places, log } = await moveBack(storesOf(around.environment, around), settled)
  around.out(
    places.length === 0
      ? 'These stores were not moved, and nothing was changed.\n'
      : `Servers start on these stores again. Never start one on ${places.join(' or ')} any more: remove it.\n`,
  )
  if (log !== 'untouched')
    around.out(aboutLog(log === 'continues' ? 'continues' : 'moved back', around.environment))
  return exits.well
}

async function check(place: ShelfPlace, wanted: string | undefined, { out }: Surroundings): Promise<number> {
  let faults = 0
  const { id, blobs } = await checkBackup(place, wanted, (sentence) => {
    faults++
    out(`${sentence}\n`)
  })
  out(
    faults === 0
      ? `The backup ${id} is whole: the database and ${blobsText(blobs)}.\n`
      : `The backup ${id} is damaged: ${counted(faults, 'fault')}. See /docs/backup, "Check a backup".\n`,
  )
  return faults === 0 ? exits.well : exits.damaged
}

const secondsSince = (began: number): string => ((performance.now() - began) / 1_000).toFixed(1)

/** Stores that the settings name. @throws ConfigError */
export function storesOf(environment: Environment, { err }: Surroundings): StoresConfig {
  const [config, secrets] = [readConfig(environment), readSecrets(environment)]
  refuseRoot(config.dataFolder, `DATA_DIR, ${config.dataFolder}`)
  const say = (_facts: object, line: string) => err(`${line}\n`)
  const log: Log = { info: say, warn: say, error: say }
  return {
    dataFolder: config.dataFolder,
    ...(secrets.databaseUrl !== undefined && { databaseUrl: secrets.databaseUrl }),
    ...(config.objectStore !== null && { bucket: { ...config.objectStore, keys: secrets.s3Keys } }),
    log,
    release,
  }
}

/** @throws LogKeyUnfitError for a wrong file of witnesses */
function continuedLog(environment: Environment): RestoredLog {
  const config = readConfig(environment)
  const file = config.versionLog === 'off' ? undefined : config.versionLog.witnessesFile
  const outside = outsideOf(config.outside, readSecrets(environment).outsideProxy)
  return { kind: 'continues', witnesses: readWitnesses(file), outside }
}

/** Location of the backups. @throws ConfigError */
function placeOf(given: Given, { environment }: Surroundings, namedBy: 'TARGET' | 'SOURCE'): ShelfPlace {
  const place = String(given['operand'])
  if (!place.startsWith('s3://')) {
    const folder = resolve(place)
    if (namedBy === 'TARGET') refuseRoot(folder, `TARGET, ${folder}`)
    return { folder }
  }
  const settings =
    given['settings'] === undefined ? environment : settingsOf(String(given['settings'])).variables
  return { bucket: readBackupBucket(place, settings, namedBy) }
}

/**
 * Settings of the target of `move`.
 * @throws ConfigError if the database or the objects go to a folder and the file has no DATA_DIR. The default, `./data`, would depend on
 *   the current folder of the caller.
 */
function settingsOfNewPlaces(file: string, { err }: Surroundings): Environment {
  const { variables: settings, differences } = settingsOf(file)
  for (const sentence of differences) err(`${file}: ${sentence}\n`)
  const { text } = variablesOf(settings)
  if (text('DATA_DIR') === undefined && [text('DATABASE_URL'), text('OBJECT_STORE')].includes(undefined))
    throw new ConfigError(
      `${file} leaves out DATA_DIR, where ${text('DATABASE_URL') === undefined ? 'the embedded database' : 'objects'} would be. It must have all settings that the server is to start with: begin with a copy of the present ones.`,
    )
  return settings
}

const refusals = [
  ShelfUnfitError,
  StoresUnfitError,
  BlobDamagedError,
  BlobMissingError,
  DumpRefusedError,
  DumpUnreadableError,
  ConfigError,
  LogKeyUnfitError,
]

/** Prints one sentence for an error that the operator can fix. */
async function orRefused({ err }: Surroundings, work: () => Promise<number>): Promise<number> {
  try {
    return await work()
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const isOfDisk = ['ENOSPC', 'EDQUOT', 'EACCES', 'EPERM', 'EROFS', 'ENOTDIR'].includes(code ?? '')
    if (!isOfDisk && !refusals.some((kind) => error instanceof kind)) throw error
    err(isOfDisk ? `It was broken off: ${message}.\n` : `${message}\n`)
    return exits.damaged
  }
}
