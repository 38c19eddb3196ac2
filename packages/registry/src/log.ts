/** Where the registry tells what an operator should know: facts, and a sentence. */
export interface Log {
  info(facts: object, line: string): void
  warn(facts: object, line: string): void
  error(facts: object, line: string): void
}
