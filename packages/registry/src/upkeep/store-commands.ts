/** Operator commands that open the stores from the configuration, without a server: `ulmus-server sweep`, `fsck`, `secrets`, `log restart` and `export`. */
import { join } from 'node:path'
import { exportForOperator } from '../accounts/account-export.ts'
import { openSealing, type SecretsConfig, SecretsKeyUnfitError } from '../secrets/key-files.ts'
import type { Purpose } from '../stores/installation.ts'
import { demandNoServer } from '../stores/no-server.ts'
import { openStores, type StoresConfig } from '../stores/stores.ts'
import { storedIn, sweepAllTables } from '../tables/folder/sweep-tables.ts'
import { renameLog } from '../version-log/restored.ts'
import { type RebuildReport, rebuild } from './fsck/rebuild.ts'
import { type FsckOptions, type FsckReport, fsck } from './fsck.ts'
import { type RenewalReport, renewSecrets } from './renew-secrets.ts'
import { type SweepOptions, type SweepReport, sweep } from './sweep.ts'

/** Commands on open stores. `sweep` and `fsck` may run beside servers. */
export interface StoreCommands {
  /** @throws the errors of `sweep`. */
  sweep(options?: SweepOptions): Promise<SweepReport>
  fsck(options: FsckOptions): Promise<FsckReport>
  /** No server may run meanwhile: an open for `rebuild` refuses a database that one has open. */
  rebuildIndex(): Promise<RebuildReport>
  /** May run beside servers. @throws SecretsKeyUnfitError */
  renewSecrets(keys: SecretsConfig): Promise<RenewalReport>
  /**
   * Gives the signed log another name; the log of a trial gets the host of PUBLIC_URL. May run beside servers.
   * @returns it; null if it is known once a key signs
   */
  restartLog(publicUrl: string | undefined): Promise<string | null>
  /** May run beside servers. @throws account_not_found, not_a_user */
  exportAccount(slug: string, reason: string): Promise<AsyncGenerator<Uint8Array>>
  close(): Promise<void>
}

const missedPacks = 'the index would lack packs that they write meanwhile'

/**
 * Opens the stores for commands.
 * @param purpose `rebuild`: for `rebuildIndex`, which may join a database and a store without a common id
 * @throws StoresUnfitError for `rebuild` while a server has the database open; the errors of `openStores`
 */
export async function openStoreCommands(
  config: StoresConfig,
  purpose: Exclude<Purpose, 'serve'> = 'check',
): Promise<StoreCommands> {
  if (purpose === 'rebuild') await demandNoServer(config.databaseUrl, missedPacks)
  const opened = new AsyncDisposableStack()
  try {
    const { database, blobs } = await openStores(config, opened, purpose)
    const context = { database, blobs, log: config.log, now: () => new Date() }
    return {
      async sweep(options) {
        const report = await sweep(context, options)
        await sweepAllTables(join(config.dataFolder, 'tables'), storedIn(database))
        return report
      },
      fsck: (options) => fsck(context, options),
      rebuildIndex: () => rebuild(context),
      async renewSecrets(keys) {
        const sealing = await openSealing(keys, database.kind === 'embedded' ? config.dataFolder : null)
        if (sealing === null) throw new SecretsKeyUnfitError('SECRETS_KEY_FILE is not set.')
        return renewSecrets(context, sealing)
      },
      restartLog: (publicUrl) => renameLog(database, publicUrl),
      exportAccount: (slug, reason) => exportForOperator(context, slug, reason),
      close: () => opened.disposeAsync(),
    }
  } catch (error) {
    await opened.disposeAsync()
    throw error
  }
}
