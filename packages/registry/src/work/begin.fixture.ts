/** Thread program that does nothing, for tests of the pool. */
export const begin = (): void => undefined
