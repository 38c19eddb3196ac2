/** A log, or what is said of it, is not as it must be: a malformed text, a wrong signature, a proof that fails. The message says which. */
export class LogError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'LogError'
  }
}

/** Too few witnesses have signed a checkpoint: they may do so later. */
export class TooFewWitnessesError extends LogError {}
