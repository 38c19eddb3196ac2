/** What is wrong with a line of input: a stable code to act on and a sentence for a person. */

/** Codes of content-model §2. The order of the rules is in `input.ts`. */
export type InputCode =
  | 'syntax'
  | 'duplicate_key'
  | 'unsafe_integer'
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

  constructor(code: InputCode, message: string) {
    super(message)
    this.code = code
  }
}
