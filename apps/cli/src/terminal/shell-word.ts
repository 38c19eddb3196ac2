/**
 * Quotes a word of a proposed command for bash, zsh, fish and other POSIX shells. fish alone reads a backslash between single quotes as
 * an escape of a quote or another backslash, so those stand outside of them.
 */
export const shellWord = (text: string): string =>
  /^[\p{L}\p{N}_.,:@%+/-][\p{L}\p{N}_.,:=@%+/-]*$/u.test(text)
    ? text
    : `'${text.replace(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`
