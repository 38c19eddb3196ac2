/** `Range` headers. RFC 9110 §14.2: one range of bytes is served; several ranges, or an unknown unit, get the whole. */

export interface ByteRange {
  start: number
  length: number
}

/** @param size of the whole in bytes. Returns undefined if the whole is to be sent. */
export function readRange(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const match = /^bytes=([0-9]{0,15})-([0-9]{0,15})$/.exec(header?.trim() ?? '')
  if (match === null || (match[1] === '' && match[2] === '')) return undefined
  if (match[1] === '') {
    const length = Math.min(Number(match[2]), size)
    return length === 0 ? 'unsatisfiable' : { start: size - length, length }
  }
  const start = Number(match[1])
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1)
  if (match[2] !== '' && Number(match[2]) < start) return undefined
  return start >= size ? 'unsatisfiable' : { start, length: end - start + 1 }
}
