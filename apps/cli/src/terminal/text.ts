/** Text with separate styles, so that only this program's own escape sequences reach a terminal. */
import { styleText } from 'node:util'
import { harmless } from './harmless.ts'

type Style = Parameters<typeof styleText>[0]

interface Painted {
  readonly style: Style
  readonly text: Text
}

/** Strings, which may be foreign text, and styled parts in sequence. */
export type Text = string | Painted | readonly Text[]

/** Adds a style. The text itself is escaped when it is written. */
export const painted = (style: Style, text: Text): Text => ({ style, text })

/** One line for a terminal: escapes all text, then applies the styles. */
export function lineOf(text: Text, hasColour: boolean): string {
  if (typeof text === 'string') return harmless(text)
  if (!('style' in text)) return text.map((part) => lineOf(part, hasColour)).join('')
  const inner = lineOf(text.text, hasColour)
  return hasColour ? styleText(text.style, inner, { validateStream: false }) : inner
}
