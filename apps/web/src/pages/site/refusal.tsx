/** The page of a refusal: what is wrong, and what to do. What is hidden has the page of what is not there. */
import type { RegistryError } from '@ulmus/registry'
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

/** @param here path and query that were asked for */
export function refusalPage(error: RegistryError, status: number, here: string, isSignedIn: boolean): View {
  const title = titles[status] ?? 'This cannot be done'
  return {
    title,
    refused: error,
    isPublic: false,
    body: (
      <div class="wide content refusal">
        <p class="code-number">{status}</p>
        <h1>{title}</h1>
        {status === 404 ? (
          <p>
            Either it does not exist, or it is private and you are not signed in as somebody who may see it.
          </p>
        ) : status >= 500 && status < 503 ? (
          <p>It is not your fault. Try again; the operator finds what happened in the log.</p>
        ) : (
          <Reasons of={error} />
        )}
        <p class="actions">
          {!isSignedIn && (status === 404 || status === 401 || status === 403) && (
            <a class="button primary" href={withQuery('/auth/login', { return_to: here })} rel="nofollow">
              Sign in
            </a>
          )}
          {status >= 429 && (
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
