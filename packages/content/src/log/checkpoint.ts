/** Checkpoints (C2SP tlog-checkpoint): size and root of a log, as a signed note. */
import { base64Of, bytesOfBase64 } from './base64.ts'
import { LogError } from './log-error.ts'

export interface Checkpoint {
  /** Name of the log. Its keys have the same name. */
  readonly origin: string
  /** Number of leaves. */
  readonly size: number
  /** 32 bytes. */
  readonly root: Uint8Array
}

/** Text to sign. */
export const checkpointText = ({ origin, size, root }: Checkpoint): string =>
  `${origin}\n${size}\n${base64Of(root)}\n`

/** Further lines are ignored. @throws LogError unless the text of a note is a checkpoint */
export function parseCheckpoint(text: string): Checkpoint {
  const lines = text.split('\n')
  const [origin, size, root] = lines
  const bytes = root === undefined ? undefined : bytesOfBase64(root)
  const isWhole = text.endsWith('\n') && lines.slice(0, -1).every((line) => line !== '')
  if (!isWhole || origin === undefined || bytes?.length !== 32) throw malformed()
  return { origin, size: parseCount(size ?? ''), root: bytes }
}

/** Decimal without leading zeros. @throws LogError for anything else, or above 2 ** 53 - 1 */
export function parseCount(text: string): number {
  const value = /^(?:0|[1-9]\d{0,15})$/.test(text) ? Number(text) : Number.NaN
  if (!Number.isSafeInteger(value)) throw malformed()
  return value
}

const malformed = () => new LogError('The checkpoint is malformed.')
