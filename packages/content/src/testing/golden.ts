/** For tests: reads the blocks marked golden in docs/formats.md, so that the documented bytes are those that the code writes and reads. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const text = readFileSync(join(import.meta.dirname, '../../../../docs/formats.md'), 'utf8')

/** The block of that name, without its last newline. @throws Error if there is none. */
export function goldenText(name: string): string {
  const found = new RegExp(`^golden \`${name}\`.*\\n\`\`\`\\w+\\n([^\`]*)\\n\`\`\`$`, 'm').exec(text)
  if (found === null) throw new Error(`docs/formats.md has no golden block "${name}".`)
  return found[1]!
}

/** Bytes of a block of hexadecimal digits; text after a `#` is a comment. @throws Error for anything else. */
export function goldenBytes(name: string): Uint8Array {
  const digits = goldenText(name).replaceAll(/#.*|\s/g, '')
  if (!/^(?:[0-9a-f]{2})+$/.test(digits)) throw new Error(`The golden block "${name}" has other than bytes.`)
  return Buffer.from(digits, 'hex')
}
