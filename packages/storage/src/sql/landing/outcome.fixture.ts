import { NotLanded } from './land-version.ts'

/** `landed`, or why not. */
export const outcomeOf = async (landing: Promise<void>): Promise<'landed' | NotLanded['why']> => {
  try {
    await landing
    return 'landed'
  } catch (error) {
    if (error instanceof NotLanded) return error.why
    throw error
  }
}
