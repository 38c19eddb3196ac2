/** Sentences of `backup`, `restore` and `move` about the key files, which no backup contains. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { counted } from '@ulmus/registry'
import { type Config, readConfig, readSecrets } from './config.ts'
import type { Environment } from './variables/variables.ts'

interface KeyFile {
  readonly setting: 'SECRETS_KEY_FILE' | 'VERSION_LOG_KEY_FILE'
  /** Undefined: not set, and a start makes none, because the database is a PostgreSQL server. */
  readonly path: string | undefined
  readonly isThere: boolean
}

function keyFiles(environment: Environment): { secrets: KeyFile; log: KeyFile; config: Config } {
  const config = readConfig(environment)
  const isEmbedded = readSecrets(environment).databaseUrl === undefined
  const fileOf = (setting: KeyFile['setting'], given: string | undefined, usual: string): KeyFile => {
    const path = given ?? (isEmbedded ? join(config.dataFolder, usual) : undefined)
    return { setting, path, isThere: path !== undefined && existsSync(path) }
  }
  const { secretsKeys, versionLog } = config
  const logKey = versionLog === 'off' ? undefined : versionLog.keyFile
  return {
    secrets: fileOf('SECRETS_KEY_FILE', secretsKeys.keyFile, 'secrets.key'),
    log: fileOf('VERSION_LOG_KEY_FILE', logKey, 'log.key'),
    config,
  }
}

/** The key files that a backup leaves out, for its end. */
export function leftOut(environment: Environment): string {
  const { secrets, log } = keyFiles(environment)
  const named = [
    ...(secrets.isThere ? [`the key of secrets (${secrets.path})`] : []),
    ...(log.isThere ? [`the key of the signed log (${log.path})`] : []),
  ]
  return `Not in it: ${['the settings', ...named].join(', ')}. Keep copies elsewhere.\n`
}

/** Sentence with the place of an absent key. */
const placeFor = ({ path, setting }: KeyFile): string =>
  path === undefined
    ? `Set ${setting} to a copy of that key before the first start`
    : `Copy that key to ${path} before the first start`

/** @param sealed rows with secrets that are encrypted with a key that is not in the database */
export function aboutSecrets(sealed: { webhooks: number; mails: number }, environment: Environment): string {
  const { webhooks, mails } = sealed
  if (webhooks + mails === 0) return ''
  const { secrets } = keyFiles(environment)
  const rows = [
    ...(webhooks > 0 ? [counted(webhooks, 'webhook')] : []),
    ...(mails > 0 ? [counted(mails, 'unsent mail')] : []),
  ]
  const losses = [
    ...(webhooks > 0 ? ['webhooks send nothing until each has a new secret'] : []),
    ...(mails > 0 ? ['these mails fail'] : []),
  ]
  const needed = `Only the key of the old registry opens the secrets of ${rows.join(' and ')}.`
  return secrets.isThere
    ? `${needed} The key here is ${secrets.path}: it must be a copy of that one.\n`
    : `MISSING: the key of secrets. ${needed} ${placeFor(secrets)}. Without it, ${losses.join(', and ')}.\n`
}

/** Reason for a new name of the log, by what was done. */
const renamed = {
  restored: 'its old one may have been signed after the backup',
  'moved back': 'the new place may have signed its old one',
}

/** @param fate other than `continues`: the log continues under another name, so that another key does no harm */
export function aboutLog(fate: 'continues' | keyof typeof renamed, environment: Environment): string {
  const { log, config } = keyFiles(environment)
  if (config.versionLog === 'off') return ''
  const isRenamed = fate !== 'continues'
  const name = isRenamed
    ? `The signed log gets a new name, since ${renamed[fate]}. Its entries stay. Ask those who verify it to trust its new keys: /docs/backup, "The signed log".`
    : 'The signed log continues under its name.'
  if (log.isThere)
    return `${name} The key here is ${log.path}${isRenamed ? '' : ': it must be a copy of the one of the old registry'}.\n`
  if (isRenamed)
    return `${name} Any key may sign it: ${log.path === undefined ? `name the former one or a new one of \`ulmus-server log key\` in ${log.setting}, or it is not signed` : `the start makes one, unless you copy the former one to ${log.path} before`}.\n`
  const without =
    log.path === undefined ? 'the log is not signed' : 'the start makes another key, which the log refuses'
  return `${name}\nMISSING: the key of the log. ${placeFor(log)}. Without it, ${without}.\n`
}
