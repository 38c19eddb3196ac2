/** A part of a workbook as events of XML, in pieces and in bounded memory. Entities of a document type are never expanded. */
import { Parser } from 'htmlparser2'
import { rowCharactersMax } from '../table.ts'

export interface XmlHandler {
  /** Names without their prefixes; attributes with theirs. */
  open(name: string, attributes: Readonly<Record<string, string>>): void
  close(name: string): void
  text(text: string): void
}

/** Yields after each piece, so that the caller can take what the handler made of it. @throws Error with a reason */
export async function* parsedXml(
  stream: ReadableStream<Uint8Array>,
  handler: XmlHandler,
  bytesMax: number,
): AsyncGenerator<void, void> {
  const reader = stream.getReader()
  const names: string[] = []
  const local = (name: string) => name.slice(name.indexOf(':') + 1)
  let fault: string | undefined
  const parser = new Parser(
    {
      onopentag(name, attributes) {
        names.push(name)
        handler.open(local(name), attributes)
      },
      onclosetag(name) {
        names.pop()
        handler.close(local(name))
      },
      ontext: (text) => handler.text(text),
      onprocessinginstruction(name) {
        if (/^!doctype/i.test(name)) fault ??= 'its XML declares a document type'
      },
    },
    { xmlMode: true },
  )
  let decoder: TextDecoder | undefined
  let size = 0
  try {
    for (;;) {
      const { value } = await reader.read()
      if (value === undefined) break
      size += value.length
      if (size > bytesMax) fault = `a part of it has more than ${bytesMax} bytes`
      decoder ??= new TextDecoder(encodingOf(value), { fatal: true })
      if (fault === undefined) parser.write(decoder.decode(value, { stream: true }))
      if (fault !== undefined) throw new Error(fault)
      yield
    }
    if (names.length > 0 || size === 0) throw new Error('its XML is broken')
    parser.end()
    yield
  } finally {
    await reader.cancel().catch(() => undefined)
  }
}

const encodingOf = ([first, second]: Uint8Array): string =>
  first === 0xff && second === 0xfe ? 'utf-16le' : first === 0xfe && second === 0xff ? 'utf-16be' : 'utf-8'

/** A text that grows with the events of XML. */
export class GrowingText {
  #parts: string[] = []
  #length = 0

  add(text: string): void {
    this.#length += text.length
    if (this.#length > rowCharactersMax)
      throw new Error(`a cell has more than ${rowCharactersMax} characters`)
    this.#parts.push(text)
  }

  take(): string {
    const text = this.#parts.length === 1 ? this.#parts[0]! : this.#parts.join('')
    this.#parts = []
    this.#length = 0
    return text
  }
}
