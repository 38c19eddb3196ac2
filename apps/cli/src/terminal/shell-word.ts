/**
 * Quotes a word of a proposed command for bash, zsh, fish and other POSIX shells. Only fish treats a backslash between single quotes as an
 * escape, so backslashes and quotes are placed outside of the quotes.
 */
export const shellWord = (text: string): string =>
  /^[\p{L}\p{N}_.,:@%+/-][\p{L}\p{N}_.,:=@%+/-]*$/u.test(text)
    ? text
    : `'${text.replace(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`
