/** The job in which this command runs, and its token, for `--trusted`. docs/publish-from-ci.md */
import { readFileSync } from 'node:fs'
import { CommandError } from '../terminal/failure.ts'

/** Projected token of a pod of Kubernetes. */
const mountedToken = '/var/run/secrets/ulmus/token'

export interface Job {
  /** Secret that all commands of this job have, and no other job. */
  readonly secret: string
  /** Whether each call of `token` returns another token. */
  readonly isRenewable: boolean
  token(): Promise<string>
}

/**
 * Looks in this order: `ULMUS_ID_TOKEN`, the variables with which GitHub issues tokens, the file of Kubernetes.
 * @param audience address of the registry
 * @throws CommandError `no_job_token`
 */
export function openJob(
  env: NodeJS.ProcessEnv,
  audience: string,
  fetch: typeof globalThis.fetch,
  file = mountedToken,
): Job {
  const given = env['ULMUS_ID_TOKEN']
  if (given) return jobWith(given)
  const [url, bearer] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']]
  if (url && bearer)
    return { secret: bearer, isRenewable: true, token: () => fromGithub(url, bearer, audience, fetch) }
  const mounted = readIfPresent(file)
  if (mounted !== undefined) return jobWith(mounted)
  throw new CommandError(
    [
      'This job has no token.',
      'GitHub: give the job `permissions: id-token: write`.',
      `GitLab: add \`id_tokens: ULMUS_ID_TOKEN: aud: ${audience}\`.`,
      `Kubernetes: mount a token at ${file}.`,
      `Other systems: set ULMUS_ID_TOKEN to a token with the audience ${audience}.`,
    ].join('\n'),
    { code: 'no_job_token' },
  )
}

const jobWith = (token: string): Job => ({ secret: token, isRenewable: false, token: async () => token })

async function fromGithub(
  url: string,
  bearer: string,
  audience: string,
  fetch: typeof globalThis.fetch,
): Promise<string> {
  const address = new URL(url)
  address.searchParams.set('audience', audience)
  const answer = await fetch(address, { headers: { authorization: `Bearer ${bearer}` } })
  const { value } = answer.ok ? ((await answer.json()) as { value?: unknown }) : {}
  if (typeof value === 'string') return value
  throw new CommandError(`GitHub issued no token for this job: it answered ${answer.status}.`, {
    code: 'no_job_token',
  })
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8').trim() || undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}
