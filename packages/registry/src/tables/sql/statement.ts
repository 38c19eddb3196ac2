/** Checks a caller's SQL before DuckDB sees it: parsing some statements already has effects. */

/** Parentheses and brackets in each other: deeper ones overflow the stack of the parser. */
const nestingMax = 100
const beginnings = /^(select|with|from|values)\b/i

/** @returns the reason to refuse it; undefined for one statement that begins as a question does */
export function faultOf(sql: string, bytesMax: number): string | undefined {
  if (Buffer.byteLength(sql) > bytesMax) return `The statement is longer than ${bytesMax} bytes.`
  const tokens = tokensOf(sql)
  if (tokens === undefined) return 'A quotation mark or a comment in the statement has no end.'
  const words = tokens.filter((token) => !isBlank(token))
  const first = words.join(' ').trimStart()
  if (first === '') return 'The statement is empty.'
  const end = words.indexOf(';')
  if (end !== -1 && words.slice(end).some((token) => token !== ';')) return 'Send one statement at a time.'
  if (!beginnings.test(first))
    return 'The statement must begin with SELECT, WITH, FROM or VALUES: data can be read and not changed.'
  let depth = 0
  for (const token of words) {
    if (token === '(' || token === '[' || token === '{') depth++
    if (token === ')' || token === ']' || token === '}') depth--
    if (depth > nestingMax) return `The statement has more than ${nestingMax} parentheses in each other.`
  }
  return undefined
}

/** @param sql without a fault */
export const withoutComments = (sql: string): string =>
  tokensOf(sql)!
    .map((token) => (/^(--|\/\*)/.test(token) ? ' ' : token))
    .join('')

const isBlank = (token: string): boolean => /^(\s|--|\/\*)/.test(token)

/**
 * Splits a text into quotations, comments, white space, words and single signs, as PostgreSQL's lexer does, which DuckDB uses.
 * @returns undefined if a quotation or comment does not end
 */
function tokensOf(sql: string): string[] | undefined {
  const tokens: string[] = []
  for (let at = 0; at < sql.length; ) {
    const token = comment(sql, at) ?? quotation(sql, at) ?? plain(sql, at)
    if (token === '') return undefined
    tokens.push(token)
    at += token.length
  }
  return tokens
}

/** Comments in each other end one by one. @returns '' without an end */
function comment(sql: string, from: number): string | undefined {
  if (sql.startsWith('--', from)) return /[^\r\n]*/y.exec(sql.slice(from))![0]
  if (!sql.startsWith('/*', from)) return undefined
  const marks = /\/\*|\*\//g
  marks.lastIndex = from
  for (let depth = 0, mark = marks.exec(sql); mark !== null; mark = marks.exec(sql)) {
    depth += mark[0] === '/*' ? 1 : -1
    if (depth === 0) return sql.slice(from, marks.lastIndex)
  }
  return ''
}

const quotations = [
  // E'…' has escapes with a backslash.
  /[eE]'(?:[^'\\]|\\[\s\S]|'')*'/y,
  /'(?:[^']|'')*'/y,
  /"(?:[^"]|"")*"/y,
]
const dollarMark = /\$(?:[A-Za-z_\u0080-\uffff][\w\u0080-\uffff]*)?\$/y

/** @returns '' for a quotation mark without an end */
function quotation(sql: string, from: number): string | undefined {
  for (const form of quotations) {
    form.lastIndex = from
    const found = form.exec(sql)
    if (found !== null) return found[0]
  }
  dollarMark.lastIndex = from
  const mark = dollarMark.exec(sql)?.[0]
  if (mark === undefined) return /['"]/.test(sql[from]!) ? '' : undefined
  const end = sql.indexOf(mark, from + mark.length)
  return end === -1 ? '' : sql.slice(from, end + mark.length)
}

/** A word, white space, or any other single character. */
function plain(sql: string, from: number): string {
  const form = /\s+|[\w\u0080-\uffff]+|[\s\S]/y
  form.lastIndex = from
  return form.exec(sql)![0]
}
