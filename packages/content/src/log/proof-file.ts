/** Proofs as files (C2SP tlog-proof): place of a leaf, its proof of inclusion, and the checkpoint that it leads to. */
import { base64Of, bytesOfBase64 } from './base64.ts'
import { parseCount } from './checkpoint.ts'
import { LogError } from './log-error.ts'

export interface LogProof {
  readonly index: number
  /** Nearest sibling first; 32 bytes each. */
  readonly path: readonly Uint8Array[]
  /** Signed note. */
  readonly checkpoint: string
}

const header = 'c2sp.org/tlog-proof@v1'
/** Longest path of a tree, as many as the bits of a size. */
const pathMax = 63

export const proofText = ({ index, path, checkpoint }: LogProof): string =>
  [header, `index ${index}`, ...path.map(base64Of), '', checkpoint].join('\n')

/** Extra data is ignored. @throws LogError if the file is malformed; the checkpoint is not looked at */
export function parseProof(text: string): LogProof {
  const end = text.indexOf('\n\n')
  const [first, ...lines] = text.slice(0, Math.max(end, 0)).split('\n')
  if (first !== header) throw malformed()
  if (/^extra [A-Za-z0-9+/=]*$/.test(lines[0] ?? '')) lines.shift()
  const [, index] = /^index (\d+)$/.exec(lines.shift() ?? '') ?? []
  if (index === undefined || lines.length > pathMax) throw malformed()
  return { index: parseCount(index), path: hashesIn(lines), checkpoint: text.slice(end + 2) }
}

/** Hashes, one in base64 on each line. @throws LogError */
export const hashesIn = (lines: readonly string[]): Uint8Array[] =>
  lines.map((line) => {
    const hash = bytesOfBase64(line)
    if (hash?.length !== 32) throw malformed()
    return hash
  })

const malformed = () => new LogError('The proof is malformed.')
