/** Requests of pages as a signed-in user: reads and form posts. */
import { type Answer, askerOf } from './asker.ts'

export interface PageAsker {
  get(path: string): Promise<Answer>
  /** As a form of the page at the path does. */
  post(path: string, form: Readonly<Record<string, string>>): Promise<Answer>
}

/** @param url of the server. @param cookie of a session; absent: signed out */
export function browsing(url: string, cookie?: string): PageAsker {
  const asker = askerOf(url, cookie === undefined ? undefined : { cookie }, '')
  return {
    get: (path) => asker.get(path),
    post: (path, form) =>
      asker.ask('POST', path, {
        body: new URLSearchParams(form).toString(),
        headers: { 'content-type': 'application/x-www-form-urlencoded' },
      }),
  }
}
