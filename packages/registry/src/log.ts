/** Log for operators: facts, and a sentence. */
export interface Log {
  info(facts: object, line: string): void
  warn(facts: object, line: string): void
  error(facts: object, line: string): void
}
