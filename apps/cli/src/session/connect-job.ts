/** Connects as a job of a trusted publisher: exchanges the token of the job for a key, once, and keeps it. */
import { createClient, UlmusError } from '@ulmus/client'
import { exitCodes } from '../terminal/exit-codes.ts'
import { CommandError } from '../terminal/failure.ts'
import type { Terminal } from '../terminal/terminal.ts'
import { type Connection, hostOf } from './connect.ts'
import { type JobKey, readJobKey, writeJobKey } from './job-keys.ts'
import { type Job, openJob } from './job-token.ts'
import { retryOf } from './outage.ts'
import { readSettings } from './settings.ts'

/** A key with less time left is replaced if the job can get another token. Milliseconds. */
const shortest = 120_000

/**
 * The same registry with a key for this job. The token goes only to a registry that the user named, as `ULMUS_TOKEN` does:
 * a folder of another person must not receive it.
 * @param collection `owner/slug`
 */
export async function connectAsJob(
  terminal: Terminal,
  { client, host, fetch }: Connection,
  flag: string | undefined,
  collection: string,
): Promise<Connection> {
  const { env } = terminal
  const trusted = flag ?? (env['ULMUS_HOST'] || readSettings(env).host)
  if (trusted === undefined || hostOf(trusted) !== host)
    throw new CommandError(
      `--trusted sends the token of this job to a registry that you name, and ${host} comes from the folder or the reference. Set ULMUS_HOST.`,
      { code: 'token_of_another_host' },
    )
  const job = openJob(env, host, fetch)
  const place = { host, collection, secret: job.secret }
  const kept = usable(readJobKey(env, place), job)
  const key = kept ?? (await exchanged())
  const options = { baseUrl: host, apiKey: key, fetch, retry: retryOf(terminal, host) }
  return { client: createClient(options), host, key, fetch }

  async function exchanged(): Promise<string> {
    const token = await job.token()
    const start = Date.now()
    const answer = await client.publishers.exchange(collection, token).catch((error) => {
      throw refusalOf(error, host, collection)
    })
    try {
      writeJobKey(env, place, { key: answer.access_token, until: start + answer.expires_in * 1_000 })
    } catch (error) {
      terminal.say(`warning: Further commands of this job cannot use its key: ${String(error)}`)
    }
    return answer.access_token
  }
}

/** @throws CommandError `job_key_expired` if the job can get no other key */
function usable(kept: JobKey | undefined, { isRenewable }: Job): string | undefined {
  if (kept === undefined || (isRenewable && kept.until < Date.now() + shortest)) return undefined
  if (kept.until > Date.now()) return kept.key
  throw new CommandError(
    'The key of this job has expired, and its token works only once. Run the commands of `--trusted` in a shorter job, or let the publisher give keys for up to 60 minutes (`--minutes`).',
    { exitCode: exitCodes.denied, code: 'job_key_expired' },
  )
}

/** Adds the claims of the token, and the page with the publishers of the collection. */
function refusalOf(error: unknown, host: string, collection: string): unknown {
  if (!(error instanceof UlmusError) || error.code !== 'invalid_grant') return error
  const { body, status } = error
  const claims = Object.entries(body.presented ?? {}).map(([name, value]) => `\n  ${name}=${oneLine(value)}`)
  const said = claims.length === 0 ? '' : `\nThe token says:${claims.join('')}`
  return new CommandError(
    `${error.message}${said}\nPublishers of the collection, for its admins: ${host}/${collection}/publishing`,
    {
      ...{ exitCode: exitCodes.denied, code: error.code, cause: error },
      body: { error: error.message, statusCode: status, ...body },
    },
  )
}

const oneLine = (value: string): string => value.replaceAll('\n', '\\n')
