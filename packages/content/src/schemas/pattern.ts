/**
 * Patterns of schemas run on users' data, so none may take exponential time. The engine's own `RegExp` backtracks; patterns
 * are therefore run by re2js, an RE2 in plain JavaScript (it also runs in a browser), whose time is linear in the text. Chosen
 * before re2-wasm, which is no longer kept and cannot be loaded synchronously everywhere. A test costs some 0.6 µs on a short
 * string, 0.05 µs natively.
 *
 * A pattern means what ECMAScript says with the `u` flag: where RE2 reads the same text otherwise (`.`, `\s`, `\uXXXX`, `[` in
 * a class…) it is rewritten. What no linear engine can do (lookaround, backreferences) is refused.
 */
import { RE2JS } from 're2js'

/** Longest pattern, in UTF-16 code units. */
export const patternUnitsMax = 256
/** Largest compiled pattern, in RE2 instructions: its cost for one character at worst. */
export const patternInstructionsMax = 4_096
/** A text is not searched, and does not match, when its length in code units times the instructions is more: some seconds. */
const patternStepsMax = 268_435_456

/** A compiled pattern. */
export interface Pattern {
  /** Whether the pattern matches anywhere in `text`, which must be well formed. */
  test(text: string): boolean
  /** The source. Ajv takes two patterns of a schema that have the same string for one. */
  toString(): string
}

/** Why a pattern is refused, as a sentence. */
export class PatternError extends Error {
  override readonly name = 'PatternError'
}

/**
 * Compiles the source of an ECMAScript pattern (as with the `u` flag, no others).
 * @throws PatternError when it is longer than `patternUnitsMax`, no such pattern, or has what RE2 cannot do in linear time.
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

/** The parts of a valid `u` pattern that RE2 may read otherwise; every other character is a part of its own. */
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

/** The same pattern for RE2. `source` must compile with the `u` flag. */
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
      // Within a class an opening bracket is a plain character.
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

/** The name RE2 has for a Unicode property, or the same name, which RE2 then may refuse. */
function shortProperty(name: string): string {
  const value = name.replace(/^(?:Script|sc|General_Category|gc)=/, '')
  return Object.hasOwn(generalCategories, value) ? generalCategories[value]! : value
}
