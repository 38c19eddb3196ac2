/** What whoever asks should know beside the answer: that the version is deprecated. Told to the request under way, whatever it asks for. */
import { AsyncLocalStorage } from 'node:async_hooks'

const underWay = new AsyncLocalStorage<(since: Date) => void>()

/** Says to the request under way that a version it reads is deprecated, if it is; outside of `hearingNotices` nobody hears it. */
export function noticeDeprecation({ deprecatedAt }: { readonly deprecatedAt: Date | null }): void {
  if (deprecatedAt !== null) underWay.getStore()?.(deprecatedAt)
}

/** Runs `work`, which answers a request. @param deprecated called for each deprecated version that it reads */
export const hearingNotices = <T>(deprecated: (since: Date) => void, work: () => T): T =>
  underWay.run(deprecated, work)
