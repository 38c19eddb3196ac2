/** Command `ulmus-server config`: prints the settings, where each is from, and the mistakes in them. */
import { accessSync, constants } from 'node:fs'
import { createServer } from 'node:net'
import { exits, type Given, type Surroundings } from './backup-commands.ts'
import { type Config, readConfig, readSecrets, type Secrets } from './config.ts'
import { effectiveSettings } from './settings/effective.ts'
import { settingsOf } from './settings/env-file.ts'
import { readFiles } from './settings/files.ts'
import { configWarnings } from './settings/warnings.ts'
import { hostFault, sentenceOf } from './start-faults.ts'
import { ConfigError } from './variables/variables.ts'

export const configHelp = {
  config: `ulmus-server config [--settings FILE]

  Print all settings with their effective values, and the source of each: environment, file or default. Secrets and
  passwords in URLs are hidden. Names variables that are probably misspelt, and settings that are probably not meant so.
  Reads the files that settings name, as the start does, and opens no store: run it as the account of the server, on
  its machine, for it also tries HOST and the rights to DATA_DIR.
  Exits 1 with a message if a setting or a file is invalid.

  --settings FILE  Settings of a file, as systemd's EnvironmentFile reads it, before those of the environment. Names
                   the lines that \`node --env-file\` reads differently, such as those with a comment at their end.
`,
}

/** @throws ConfigError for an invalid setting, and the errors of `readFiles` */
export async function printSettings(given: Given, { out, err, environment }: Surroundings): Promise<number> {
  const file = given['settings'] === undefined ? undefined : settingsOf(String(given['settings']))
  for (const sentence of file?.differences ?? []) err(`${sentence}\n`)
  const all = { ...environment, ...file?.variables }
  for (const sentence of configWarnings(all)) err(`${sentence}\n`)
  const [config, secrets] = [readConfig(all), readSecrets(all)]
  await readFiles(config, secrets)
  await demandHost(config.host)
  demandDataFolder(config, secrets)
  for (const line of await effectiveSettings(environment, file?.variables)) out(`${line}\n`)
  return exits.well
}

/** Listens for a moment, on a free port, since the server may be running. @throws ConfigError if this machine does not have the address */
async function demandHost(host: string): Promise<void> {
  const server = createServer()
  const error = await new Promise<unknown>((resolve) => {
    server.once('error', resolve).listen({ host, port: 0 }, () => resolve(undefined))
  })
  server.close()
  const fault = error === undefined ? undefined : hostFault(host, error)
  if (fault !== undefined) throw fault
}

/** A folder that is missing may be made by the service manager. @throws ConfigError if this account may not enter DATA_DIR or write to it */
function demandDataFolder({ dataFolder, objectStore }: Config, { databaseUrl }: Secrets): void {
  if (objectStore !== null && databaseUrl !== undefined) return
  try {
    accessSync(dataFolder, constants.W_OK | constants.X_OK)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT')
      throw new ConfigError(sentenceOf(error, 'config', dataFolder) ?? message, { cause: error })
  }
}
