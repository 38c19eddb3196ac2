/** Page of a refusal: the reason and links to continue. Hidden and absent things get the same page. */
import type { RegistryError } from '@ulmus/registry'
import type { RefusalCode } from '@ulmus/wire'
import { Reasons } from '../../components/form.tsx'
import type { View } from '../../page.ts'
import { withQuery } from '../../paths.ts'

const titles: Readonly<Record<number, string>> = {
  401: 'Sign in first',
  403: 'Not allowed',
  404: 'There is nothing here',
  405: 'Nothing can be sent here',
  410: 'This is gone',
  413: 'Too large',
  429: 'Too many requests',
  500: 'Something went wrong',
  503: 'Busy, or something is away',
  507: 'The store is full',
}

/** Refusals within a collection that the visitor may see: their pages name the reason and link to the collection. */
const withinCollection: Readonly<Partial<Record<RefusalCode, string>>> = {
  version_not_found: 'No such version',
  version_withdrawn: 'This version was withdrawn',
  type_not_found: 'No such type',
  record_not_found: 'No such record',
  file_not_found: 'No such file',
}

/** The visitor, and the request that was refused. */
export interface Refused {
  /** Requested path and query. */
  readonly here: string
  readonly isSignedIn: boolean
  readonly requestId: string
}

export function refusalPage(
  error: RegistryError,
  status: number,
  { here, isSignedIn, requestId }: Refused,
): View {
  const within = withinCollection[error.code]
  const title =
    within ??
    (error.code === 'collection_hidden' ? 'This collection is hidden' : titles[status]) ??
    'This cannot be done'
  return {
    title,
    refused: error,
    isPublic: false,
    body: (
      <div class="wide content refusal">
        <p class="code-number">{status}</p>
        <h1>{title}</h1>
        {within !== undefined && <Collection here={here} />}
        <Why error={error} status={status} isWithin={within !== undefined} />
        {within !== undefined && <WaysOn error={error} here={here} />}
        {(status >= 500 || error.code === 'sign_in_failed') && (
          <p>
            If you tell the operator, name the request: <code>{requestId}</code>
          </p>
        )}
        <p class="actions">
          {!isSignedIn &&
            error.code !== 'account_suspended' &&
            ([401, 403, 404].includes(status) || error.code === 'collection_hidden') && (
              <a
                class={within === undefined ? 'button primary' : 'button'}
                href={withQuery('/auth/login', { return_to: here })}
                rel="nofollow"
              >
                Sign in
              </a>
            )}
          {(status >= 429 || error.code === 'sign_in_failed') && (
            <a class="button" href={here}>
              Try again
            </a>
          )}
          <a class="button" href="/explore">
            Explore collections
          </a>
          <a href="/">Start page</a>
        </p>
      </div>
    ),
  }
}

const Why = ({ error, status, isWithin }: { error: RegistryError; status: number; isWithin: boolean }) => {
  if (status === 404 && !isWithin)
    return (
      <p>
        Either it does not exist, or it is private and you are not signed in to an account that may see it.
      </p>
    )
  if (status >= 500 && status < 503)
    return <p>It is not your fault. Try again; the operator finds what happened in the log.</p>
  return <Reasons of={error} />
}

/** Link to the collection of the address, which the visitor may see. */
function Collection({ here }: { here: string }) {
  const [path, owner, slug] = /^\/([^/?]+)\/([^/?]+)/.exec(here) ?? []
  return path === undefined ? null : (
    <p>
      In the collection{' '}
      <a href={path}>
        {owner}/{slug}
      </a>
    </p>
  )
}

/** Links into the collection of the address: records of the requested type, the latest version, the list of versions. */
function WaysOn({ error: { code }, here }: { error: RegistryError; here: string }) {
  const [records, collection] = /^(\/[^/?]+\/[^/?]+)(?:\/v\/[^/?]+)?(?:\/records\/[^/?]+)?/.exec(here) ?? []
  if (records === undefined) return null
  const toRecords = code === 'record_not_found' && records.includes('/records/')
  return (
    <p class="actions">
      {toRecords && (
        <a class="button primary" href={records}>
          All records of this type
        </a>
      )}
      <a class={toRecords ? 'button' : 'button primary'} href={collection}>
        The latest version
      </a>
      <a class="button" href={`${collection}/versions`}>
        All versions
      </a>
    </p>
  )
}
