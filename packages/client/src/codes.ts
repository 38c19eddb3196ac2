/** The codes of errors. `/docs/errors` of every registry says what to do about each. */
import type { InputCode } from '@ulmus/content'
import type { RefusalCode } from '@ulmus/wire'

/**
 * Refusals, the input rules that a record breaks before it is sent, and:
 *
 * - `network`: no answer came. `http_<status>`: the answer was not the registry's, as a proxy's is not.
 * - `answer_too_large`: it was not read to its end. `redirected`: to another origin, which was not followed.
 * - `timeout`: a job took longer than the caller would wait.
 * - `too_many_removed`: `maxRemoved` forbids it. `records_changed`: `records` was not the same the second time.
 * - `push_not_committed`: the session stays open after a commit.
 */
export type ErrorCode =
  | RefusalCode
  | InputCode
  | `http_${number}`
  | 'network'
  | 'timeout'
  | 'answer_too_large'
  | 'redirected'
  | 'too_many_removed'
  | 'records_changed'
  | 'push_not_committed'
