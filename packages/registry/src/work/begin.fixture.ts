/** Thread program that does nothing. */
export const begin = (): void => undefined
