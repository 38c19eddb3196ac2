/**
 * Patterns in users' schemas run on users' data, so none may take exponential time. JavaScript's own `RegExp` backtracks; patterns
 * therefore run in re2js, an RE2 in plain JavaScript (also for browsers), whose time is linear in the text. re2-wasm was
 * rejected: it is unmaintained and cannot be loaded synchronously everywhere. A test takes some 0.6 µs on a short
 * string, natively 0.05 µs.
 *
 * A pattern has its ECMAScript meaning with the `u` flag: syntax that RE2 reads differently (`.`, `\s`, `\uXXXX`, `[` in
 * a class…) is rewritten. Features that no linear engine supports (lookaround, backreferences) are refused.
 */
import { RE2JS } from 're2js'

/** Longest pattern, in UTF-16 code units. */
export const patternUnitsMax = 256
/** Largest compiled pattern, in RE2 instructions: the worst-case cost of one character. */
export const patternInstructionsMax = 4_096
/** A text counts as no match, without a search, if its length in code units times the instructions exceeds this: some seconds. */
const patternStepsMax = 268_435_456

/** A compiled pattern. */
export interface Pattern {
  /** True if the pattern matches anywhere in `text`, which must be well formed. */
  test(text: string): boolean
  /** The source. Ajv treats two patterns of a schema with the same string as one. */
  toString(): string
}

/** Reason for refusing a pattern, as a sentence. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/**
 * Compiles the source of an ECMAScript pattern with the `u` flag and no other.
 * @throws PatternError if it is longer than `patternUnitsMax`, invalid, or needs a feature that RE2 lacks.
 */
export function compilePattern(source: string): Pattern {
  if (source.length > patternUnitsMax) {
    throw new PatternError(
      `The pattern has ${source.length} characters; at most ${patternUnitsMax} are allowed.`,
    )
  }
  try {
    new RegExp(source, 'u')
  } catch (cause) {
    throw new PatternError(`The pattern does not compile: ${cause instanceof Error ? cause.message : cause}`)
  }
  const program = compileRe2(source)
  const instructions = program.programSize()
  if (instructions > patternInstructionsMax) {
    throw new PatternError(
      `The pattern ${JSON.stringify(source)} is too large: write smaller repeat counts, or use maxLength.`,
    )
  }
  const lengthMax = patternStepsMax / instructions
  return { test: (text) => text.length <= lengthMax && program.test(text), toString: () => source }
}

function compileRe2(source: string): RE2JS {
  const translated = translate(source)
  try {
    return RE2JS.compile(translated)
  } catch (cause) {
    throw new PatternError(
      `The pattern ${JSON.stringify(source)} cannot be matched in linear time by RE2: ${cause instanceof Error ? cause.message : cause}`,
    )
  }
}

const lineEnds = '\\n\\r\\x{2028}\\x{2029}'
/** ECMAScript `\s`, without brackets. */
const spaces =
  '\\t-\\r\\x{20}\\x{a0}\\x{1680}\\x{2000}-\\x{200a}\\x{2028}\\x{2029}\\x{202f}\\x{205f}\\x{3000}\\x{feff}'
/** ECMAScript `\S`, without brackets. */
const noSpaces =
  '\\x{0}-\\x{8}\\x{e}-\\x{1f}\\x{21}-\\x{9f}\\x{a1}-\\x{167f}\\x{1681}-\\x{1fff}\\x{200b}-\\x{2027}\\x{202a}-\\x{202e}' +
  '\\x{2030}-\\x{205e}\\x{2060}-\\x{2fff}\\x{3001}-\\x{fefe}\\x{ff00}-\\x{10ffff}'

/** Parts of a valid `u` pattern that RE2 may read differently; every other character is a separate part. */
const parts = new RegExp(
  [
    String.raw`\\u\{([0-9a-fA-F]+)\}`,
    String.raw`\\u([dD][89abAB][0-9a-fA-F]{2})\\u([dD][c-fC-F][0-9a-fA-F]{2})`,
    String.raw`\\u([0-9a-fA-F]{4})`,
    String.raw`\\c([a-zA-Z])`,
    String.raw`\\([pP])\{([^}]*)\}`,
    String.raw`\\[^]`,
    String.raw`\(\?<(?![=!])[^>\]]*>`,
    String.raw`\(\?:?`,
    String.raw`\[\^?\]`,
    '[^]',
  ].join('|'),
  'gu',
)

/** Translates a pattern to RE2. `source` must compile with the `u` flag. */
function translate(source: string): string {
  let inClass = false
  return source.replace(parts, (part: string, ...captures: (string | undefined)[]) => {
    const [braced, leading, trailing, unit, control, property, propertyName] = captures
    if (braced !== undefined) return codePoint(Number.parseInt(braced, 16))
    if (leading !== undefined && trailing !== undefined) {
      return codePoint(
        String.fromCharCode(Number.parseInt(leading, 16), Number.parseInt(trailing, 16)).codePointAt(0)!,
      )
    }
    if (unit !== undefined) return codePoint(Number.parseInt(unit, 16))
    if (control !== undefined) return codePoint(control.charCodeAt(0) % 32)
    if (property !== undefined) return `\\${property}{${shortProperty(propertyName ?? '')}}`
    if (part.startsWith('\\')) return translateEscape(part, inClass)
    if (inClass) {
      if (part.endsWith(']')) inClass = false
      // Within a class, an opening bracket is a plain character.
      return part.startsWith('[') ? `\\${part}` : part
    }
    if (part === '[]') return '[^\\x{0}-\\x{10ffff}]'
    if (part === '[^]') return '[\\x{0}-\\x{10ffff}]'
    if (part === '.') return `[^${lineEnds}]`
    if (part.startsWith('(?')) return translateGroup(part)
    if (part === '[') inClass = true
    return part
  })
}

function translateGroup(part: string): string {
  if (part === '(?:') return part
  if (part.endsWith('>')) return '('
  throw new PatternError(
    'The pattern has a lookaround or a modifier, which no linear-time matching supports.',
  )
}

function translateEscape(sequence: string, inClass: boolean): string {
  if (/^\\[1-9k]/.test(sequence)) {
    throw new PatternError('The pattern has a backreference, which no linear-time matching supports.')
  }
  if (sequence === '\\s') return inClass ? spaces : `[${spaces}]`
  if (sequence === '\\S') return inClass ? noSpaces : `[${noSpaces}]`
  if (sequence === '\\b' && inClass) return codePoint(8)
  if (sequence === '\\0') return codePoint(0)
  return sequence
}

function codePoint(code: number): string {
  return `\\x{${code.toString(16)}}`
}

const generalCategories: Record<string, string> = {
  Letter: 'L',
  Lowercase_Letter: 'Ll',
  Uppercase_Letter: 'Lu',
  Mark: 'M',
  Number: 'N',
  Decimal_Number: 'Nd',
  Punctuation: 'P',
  Symbol: 'S',
  Separator: 'Z',
}

/** RE2's name of a Unicode property, or the given name, which RE2 may refuse. */
function shortProperty(name: string): string {
  const value = name.replace(/^(?:Script|sc|General_Category|gc)=/, '')
  return Object.hasOwn(generalCategories, value) ? generalCategories[value]! : value
}
