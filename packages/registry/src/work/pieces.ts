/** Bytes that lie in pieces: joining many would hold the event loop, so a worker thread does it. */
import { freeWhole } from './free.ts'

/** Each in a buffer of its own, so that a worker can take it over. */
export type Pieces = Uint8Array<ArrayBuffer>[]

/** A task whose bytes lie in pieces. */
export type InPieces<Task> = Omit<Task, 'bytes'> & { bytes: Pieces }

/** Empties `pieces` and takes them over: the whole is all that is left of them. */
export function joined(pieces: Uint8Array[]): Uint8Array<ArrayBuffer> {
  let length = 0
  for (const piece of pieces) length += piece.length
  const whole = new Uint8Array(length)
  let at = 0
  for (const piece of pieces) {
    whole.set(piece, at)
    at += piece.length
    freeWhole(piece)
  }
  pieces.length = 0
  return whole
}

export const lengthOf = (pieces: Pieces): number => pieces.reduce((sum, piece) => sum + piece.length, 0)

export const buffersOf = ({ bytes }: { bytes: Pieces }): ArrayBuffer[] => bytes.map(({ buffer }) => buffer)

/** JSON up to this size is read in the calling thread: usually 3 ms, 23 at worst. Bytes. */
export const shortBytesMax = 65_536
