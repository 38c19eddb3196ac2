/** Notices for readers beside the answer, namely that the version is deprecated. Attached to the current request, on any route. */
import { AsyncLocalStorage } from 'node:async_hooks'

const underWay = new AsyncLocalStorage<(since: Date) => void>()

/** Notifies the current request if the version that it reads is deprecated; ignored outside of `hearingNotices`. */
export function noticeDeprecation({ deprecatedAt }: { readonly deprecatedAt: Date | null }): void {
  if (deprecatedAt !== null) underWay.getStore()?.(deprecatedAt)
}

/** Runs `work`, which answers a request. @param deprecated called for each deprecated version that it reads */
export const hearingNotices = <T>(deprecated: (since: Date) => void, work: () => T): T =>
  underWay.run(deprecated, work)
