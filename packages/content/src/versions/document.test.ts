import { describe, expect, test } from 'vitest'
import { type Hash, hashText } from '../hash.ts'
import {
  digestLabel,
  documentDigest,
  documentText,
  metadataIn,
  parseDigestLabel,
  parseDocument,
  type ViewDocument,
} from './document.ts'

const hash = (name: string) => hashText(name)
const empty = { root: null, count: 0, bytes: 0 }

function documentOf(overrides: Partial<ViewDocument> = {}): ViewDocument {
  return {
    types: Object.fromEntries([
      ['__proto__', { bytes: 0, count: 0, root: null, schema: hash('p') }],
      ['B', { schema: hash('b'), root: hash('rb'), count: 2, bytes: 50 }],
    ]),
    metadata: { license: 'MIT', big: 1e20 },
    files: empty,
    ...overrides,
  }
}

describe('the metadata of a stored document', () => {
  const metadata = { '","types":{}}': ['"metadata":', '"types":'], types: {}, ü: 1e20 }
  const document = documentOf({ metadata })
  const bytes = Buffer.from(documentText(document))

  test('is separated from its roots without parsing', () => {
    expect(JSON.parse(Buffer.from(metadataIn(bytes, document)).toString())).toEqual(metadata)
    const bare = documentOf({ metadata: {}, types: {} })
    expect(Buffer.from(metadataIn(Buffer.from(documentText(bare)), bare)).toString()).toBe('{}')
  })

  test('is not taken from a document with other roots', () => {
    for (const other of [
      documentOf({ types: {} }),
      documentOf({ files: { root: hash('f'), count: 1, bytes: 1 } }),
    ])
      expect(() => metadataIn(bytes, other)).toThrow('other roots')
    expect(() => metadataIn(Buffer.from('{}'), document)).toThrow('other roots')
  })
})

describe('a document', () => {
  const text =
    '{"files":{"bytes":0,"count":0,"root":null},"metadata":{"big":100000000000000000000,"license":"MIT"},"types":' +
    `{"B":{"bytes":50,"count":2,"root":"${hash('rb')}","schema":"${hash('b')}"},` +
    `"__proto__":{"bytes":0,"count":0,"root":null,"schema":"${hash('p')}"}}}`

  test('is written in canonical form and named by its hash', () => {
    expect(documentText(documentOf())).toBe(text)
    expect(documentDigest(documentOf())).toBe(hashText(text))
  })

  test('holds only what a document says, whatever else its objects carry', () => {
    const files = { ...empty, extra: 1 }
    expect(documentText(documentOf({ files }))).toBe(text)
  })

  test('is read from text and bytes', () => {
    expect(documentText(parseDocument(text))).toBe(text)
    expect(parseDocument(new TextEncoder().encode(text))).toEqual(parseDocument(text))
  })

  const entry = `"schema":"${hash('b')}"`
  const withType = (type: string) =>
    `{"files":{"bytes":0,"count":0,"root":null},"metadata":{},"types":${type}}`
  test.each([
    ['', /no JSON/],
    ['[]', /must be an object of files, metadata, types/],
    ['{"files":{"bytes":0,"count":0,"root":null},"metadata":{}}', /files, metadata, types/],
    [`${text.slice(0, -1)},"x":1}`, /files, metadata, types/],
    [` ${text}`, /canonical form/],
    [text.replace('"MIT"', '"MIT","license":"MIT"'), /canonical form/],
    [text.replace('{"big":100000000000000000000,"license":"MIT"}', 'null'), /"metadata"/],
    [text.replace('"root":null', '"root":"abc"'), /root of "files"/],
    [text.replace('"count":0', '"count":1'), /root of "files"/],
    [text.replace('"bytes":0', '"bytes":-1'), /Counts of "files"/],
    [text.replace('"count":2', '"count":2.5'), /Counts of "B"/],
    [text.replace('"count":2', '"count":0'), /root of "B"/],
    [text.replace(`"${hash('b')}"`, '"x"'), /schema of "B"/],
    [text.replace('"bytes":50,', ''), /type "B" must be/],
    [withType('[]'), /"types"/],
    [withType(`{".x":{"bytes":0,"count":0,"root":null,${entry}}}`), /full stop/],
    [withType('{"a":null}'), /type "a" must be/],
  ])('%s is none', (source, message) => {
    expect(() => parseDocument(source)).toThrow(message)
  })

  test('is UTF-8', () => {
    expect(() => parseDocument(Uint8Array.from([0x22, 0xff, 0x22]))).toThrow(/UTF-8/)
  })
})

describe('a digest label', () => {
  const digest: Hash = hash('x')

  test('is view and hash', () => {
    expect(digestLabel('private', digest)).toBe(`private:${digest}`)
    expect(parseDigestLabel(digestLabel('private', digest))).toEqual({ view: 'private', hash: digest })
    expect(parseDigestLabel(digestLabel('public', digest))).toEqual({ view: 'public', hash: digest })
  })

  test.each([
    hash('x'),
    `:${hash('x')}`,
    `sha256:${hash('x')}`,
    'private:',
    `public:${hash('x')}0`,
    `Public:${hash('x')}`,
    '',
  ])('%s is none', (text) => expect(parseDigestLabel(text)).toBeUndefined())
})
