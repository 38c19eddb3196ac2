/** Command `ulmus-server config`: prints the settings, where each is from, and the mistakes in them. */
import { exits, type Given, type Surroundings } from './backup-commands.ts'
import { readConfig, readSecrets } from './config.ts'
import { effectiveSettings } from './settings/effective.ts'
import { settingsOf } from './settings/env-file.ts'
import { readFiles } from './settings/files.ts'
import { configWarnings } from './settings/warnings.ts'

export const configHelp = {
  config: `ulmus-server config [--settings FILE]

  Print all settings with their effective values, and the source of each: environment, file or default. Secrets and
  passwords in URLs are hidden. Names variables that are probably misspelt, and settings that are probably not meant so.
  Reads the files that settings name, as the start does, and opens no store: run it as the account of the server.
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
  await readFiles(readConfig(all), readSecrets(all))
  for (const line of await effectiveSettings(environment, file?.variables)) out(`${line}\n`)
  return exits.well
}
