/** Refusals of the content of a version: types, records and files. */
import { exampleFile, exampleRecord } from '../examples.ts'
import type { Refusal } from './refusal.ts'

const hasTypes = (names: string): string => (names === '' ? 'It has none.' : `It has ${names}.`)

export const recordRefusals = {
  hash_mismatch: {
    kind: 'invalid',
    sentence: (f) =>
      `The bytes sent hash to ${f.actual}, not to ${f.expected}. Nothing was stored; send the file again.`,
    meaning: 'the bytes do not match the hash in the path',
    explanation: 'The bytes of an uploaded file do not match the hash in the path. Nothing was stored.',
    remedy: 'Send the file again; if it fails again, the hash was computed from other bytes.',
    members: ({ z }) => ({
      expected: z.string().meta({ description: 'hash in the path.' }),
      actual: z.string().meta({ description: 'hash of the bytes.' }),
    }),
    example: { details: { expected: exampleFile.hash, actual: `sha256:${exampleRecord.hash}` } },
  },
  type_not_found: {
    kind: 'missing',
    sentence: (f) => `The version has no type \`${f.type}\`. ${hasTypes(f.types as string)}`,
    meaning: 'there is no such type that the caller may read',
    explanation: "The version has no such type in the caller's view. The message names the existing types.",
    remedy: "Check the type's spelling: `schemas` of the version has them all.",
    example: { say: { type: 'Town', types: '`City`, `Country`' } },
  },
  record_not_found: {
    kind: 'missing',
    sentence: (f) =>
      f.types === undefined
        ? `The version has no record \`${f.id}\` of type \`${f.type}\`.`
        : `The version has no type \`${f.type}\`, and so no record \`${f.id}\` of it. ${hasTypes(f.types as string)}`,
    meaning: 'there is no such record that the caller may read',
    explanation: "The version has no such record in the caller's view.",
    remedy: 'Check type, id and version.',
    example: { say: { id: exampleRecord.id, type: exampleRecord.type } },
  },
  file_not_found: {
    kind: 'missing',
    sentence: (f) => `The collection has no file \`${f.hash}\`.`,
    meaning: 'the collection has no such file that the caller may read',
    explanation: 'The collection has no such file, or no version that the caller may read refers to it.',
    remedy: 'Check the hash; upload the file.',
    example: { say: { hash: exampleFile.hash } },
  },
} satisfies Readonly<Record<string, Refusal>>
