/**
 * Reads the files that settings name, and compares the reserve with the disks: before a start makes anything, and for `ulmus-server config`.
 * SITE_LOGO is read with the settings.
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { demandReserve, openSealing, openVersionLog, readIssuers, type TrustedIssuer } from '@ulmus/registry'
import type { Config, Secrets } from '../config.ts'
import { ConfigError } from '../variables/variables.ts'

/** Keys that a server with the embedded database makes at its first start; undefined with a PostgreSQL server, where several share one. */
export function ownKeys(dataFolder: string, databaseUrl: string | undefined) {
  return databaseUrl === undefined
    ? { secrets: join(dataFolder, 'secrets.key'), log: join(dataFolder, 'log.key') }
    : undefined
}

/**
 * @returns the issuers of TRUSTED_ISSUERS_FILE
 * @throws ConfigError, SecretsKeyUnfitError or LogKeyUnfitError for a file that is missing or wrong; StorageFullError for a reserve larger
 * than a disk
 */
export async function readFiles(
  { trustedIssuersFile, secretsKeys, versionLog, dataFolder, objectStore, diskReserveBytes }: Config,
  { databaseUrl }: Secrets,
): Promise<TrustedIssuer[]> {
  await demandReserve({ dataFolder, databaseUrl, bucket: objectStore ?? undefined }, diskReserveBytes)
  await openSealing(secretsKeys, null)
  await openVersionLog(versionLog, null)
  const own = ownKeys(dataFolder, databaseUrl)
  if (own !== undefined && secretsKeys.keyFile === undefined && existsSync(own.secrets))
    await openSealing({ keyFile: own.secrets }, null)
  if (own !== undefined && versionLog !== 'off' && versionLog.keyFile === undefined && existsSync(own.log))
    await openVersionLog({ keyFile: own.log }, null)
  try {
    return trustedIssuersFile === null ? [] : readIssuers(trustedIssuersFile)
  } catch (error) {
    throw new ConfigError((error as Error).message, { cause: error })
  }
}
