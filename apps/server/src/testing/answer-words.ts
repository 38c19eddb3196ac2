/** Comparable parts of an answer, without those that always differ: for answers that must be indistinguishable. */
import type { Answer } from './asker.ts'

/** Of one answer alone; a length is that of the body, which is compared itself, and in which names have other lengths. */
const ofEach = ['date', 'x-request-id', 'content-length', 'ratelimit-remaining', 'ratelimit-reset']

/** Status, headers and body. @param path `owner/slug` that was asked for, in place of which the other answer has another */
export function wordsOf({ status, headers, text }: Answer, path: string) {
  const unnamed = (words: string) =>
    words.replaceAll(path, 'OWNER/SLUG').replaceAll(encodeURIComponent(path), 'OWNER%2FSLUG')
  const told = Object.entries(headers).filter(([header]) => !ofEach.includes(header))
  return { status, headers: unnamed(JSON.stringify(told)), text: unnamed(text) }
}
