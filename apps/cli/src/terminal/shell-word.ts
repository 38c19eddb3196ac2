/**
 * Quotes a word of a proposed command for bash, zsh, fish and other POSIX shells. In single quotes, fish treats a backslash before `'`, `\`
 * or the closing quote as an escape; other shells never do. Only those backslashes, and every quote, are written outside of the quotes.
 */
export const shellWord = (text: string): string =>
  /^[\p{L}\p{N}_.,:@%+/-][\p{L}\p{N}_.,:=@%+/-]*$/u.test(text)
    ? text
    : `'${text.replace(/'|\\(?=['\\]|$)/g, "'\\$&'")}'`
