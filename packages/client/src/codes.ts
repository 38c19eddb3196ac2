/** Codes of errors. `/docs/errors` of every registry explains them and their remedies. */
import type { InputCode } from '@ulmus/content'
import type { RefusalCode } from '@ulmus/wire'

/**
 * Refusals, input rules that are checked before a record is sent, and:
 *
 * - `network`: there was no answer. `http_<status>`: the answer is not from a registry but, for example, from a proxy.
 * - `answer_too_large`: the answer was not read to its end. `redirected`: a redirect to another origin was not followed.
 * - `wrong_answer`: the answer is about something else than what was asked for.
 * - `timeout`: a job took longer than the caller would wait.
 * - `too_many_removed`: refused because of `maxRemoved`. `records_changed`: `records` differed the second time.
 * - `not_json`: a value that JSON cannot hold, such as a `Map`, was not sent.
 * - `push_not_committed`: the session is still open after a commit.
 */
export type ErrorCode =
  | RefusalCode
  | InputCode
  | `http_${number}`
  | 'network'
  | 'timeout'
  | 'answer_too_large'
  | 'redirected'
  | 'wrong_answer'
  | 'too_many_removed'
  | 'records_changed'
  | 'not_json'
  | 'push_not_committed'
