/**
 * Error for input that breaks a rule: a stable code for programs and a sentence for people. The codes reach clients as `code` of a refused
 * line: never rename one.
 */

/** Codes of content-model §2. The order of the rules is in `input.ts`. */
export type InputCode =
  | 'syntax'
  | 'duplicate_key'
  | 'unsafe_integer'
  | 'too_many_digits'
  | 'number_out_of_range'
  | 'lone_surrogate'
  | 'too_deep'
  | 'bad_envelope'
  | 'bad_id'
  | 'bad_type'
  | 'record_too_large'

/** A text or value that breaks an input rule. */
export class InputError extends Error {
  override readonly name = 'InputError'
  readonly code: InputCode
  /** Offset of the fault in the text, in UTF-16 code units; undefined if it concerns the text as a whole. */
  readonly at: number | undefined

  constructor(code: InputCode, message: string, at?: number) {
    super(message)
    this.code = code
    this.at = at
  }
}
