/** Keys of the slots of a collection's statements: chains of hashes (content/log/slots.ts) that begin with a secret of the collection. */
import { createHmac, hash } from 'node:crypto'
import { type Chain, firstChain, nextChain } from '@ulmus/content/log'

export interface SlotKey {
  /** Null for statement 1. */
  readonly key: Uint8Array | null
  /** End of the chain that the statement begins; null if it begins none. */
  readonly begun: Uint8Array | null
}

/** Computes keys, those of each chain once. @param secret 32 bytes */
export function slotKeysOf(secret: Uint8Array): (seq: number) => SlotKey {
  const chains = new Map<number, Uint8Array[]>()
  /** The end, and the keys of the statements of the chain in their order. */
  const keysIn = ({ after, last }: Chain): Uint8Array[] => {
    let keys = chains.get(after)
    if (keys === undefined) {
      keys = [createHmac('sha256', secret).update(`${after}`).digest()]
      for (let seq = last; seq > after; seq--) keys.push(hash('sha256', keys.at(-1)!, 'buffer'))
      chains.set(after, keys.reverse())
    }
    return keys
  }
  return (seq) => {
    let chain = firstChain
    while (seq > chain.last) chain = after(chain)
    return {
      key: chain === firstChain ? null : keysIn(chain)[seq - chain.after]!,
      begun: seq === chain.last ? keysIn(after(chain))[0]! : null,
    }
  }
}

/** Without its end, which is `keysIn(…)[0]`. */
const after = (chain: Chain): Chain => nextChain(chain, new Uint8Array())
