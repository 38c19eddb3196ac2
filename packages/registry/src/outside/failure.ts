/** Reasons why a request to a user's address got no answer. Users see the reason and the time, and nothing else. */

export type AskFailure =
  | 'refused_address'
  | 'tls'
  | 'timeout'
  | 'too_large'
  | 'connection'
  | 'malformed'
  | 'proxy'

export class AskError extends Error {
  readonly why: AskFailure

  constructor(why: AskFailure) {
    super(why)
    this.why = why
  }
}
