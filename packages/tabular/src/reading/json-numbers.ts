/** JSON texts whose numbers may be beyond what doubles hold: `JSON.parse` rounds those without a word. */
import { Numeral } from './table.ts'

/** Whether a text may have such a number: 16 digits in a row, or an exponent of three. */
const suspicious = /\d{16}|[eE][+-]?\d{3}/
const token = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*/gs

/** The value of a text, with `Numeral` for each number that would be rounded. @throws SyntaxError */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text)
  if (!suspicious.test(text)) return value
  let mark = '\u0000numeral:'
  while (text.includes(mark.slice(1))) mark += ':'
  let isExact = true
  const marked = text.replace(token, (found) => {
    if (found[0] === '"' || !isRounded(found)) return found
    isExact = false
    return JSON.stringify(mark + found)
  })
  return isExact ? value : withNumerals(JSON.parse(marked), mark)
}

/** Whether an integer or the magnitude is lost; digits behind the point beyond the seventeenth are not counted. */
function isRounded(numeral: string): boolean {
  const value = Number(numeral)
  if (!Number.isFinite(value)) return true
  if (/^-?\d+$/.test(numeral)) return !Number.isSafeInteger(value)
  return value === 0 && /^-?[\d.]*[1-9]/.test(numeral)
}

function withNumerals(value: unknown, mark: string): unknown {
  if (typeof value === 'string') return value.startsWith(mark) ? new Numeral(value.slice(mark.length)) : value
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map((item) => withNumerals(item, mark))
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, withNumerals(member, mark)]))
}
