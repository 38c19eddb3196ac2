/** Program of a thread that does nothing. */
export const begin = (): void => undefined
