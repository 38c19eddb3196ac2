/** In-memory store of the built-in identity provider: sessions, codes and tokens, which last for minutes. */
import type { Adapter } from 'oidc-provider'

type Payload = Parameters<Adapter['upsert']>[1]

/** Maximum number of entries; the oldest are evicted first. */
const entriesMax = 10_000

/** One store for entries of all kinds, with keys such as `Session:id`. */
export function memoryAdapter(): new (kind: string) => Adapter {
  const entries = new Map<string, { payload: Payload; expires: number }>()
  const find = (key: string): Payload | undefined => {
    const entry = entries.get(key)
    if (entry === undefined || entry.expires > Date.now()) return entry?.payload
    entries.delete(key)
    return undefined
  }
  const findBy = (kind: string, member: 'uid' | 'userCode', value: string): Payload | undefined => {
    for (const [key, { payload }] of entries)
      if (key.startsWith(`${kind}:`) && payload[member] === value) return find(key)
    return undefined
  }
  return class implements Adapter {
    readonly kind: string
    constructor(kind: string) {
      this.kind = kind
    }

    async upsert(id: string, payload: Payload, expiresInSeconds: number): Promise<void> {
      const key = `${this.kind}:${id}`
      entries.delete(key)
      entries.set(key, { payload, expires: Date.now() + expiresInSeconds * 1000 })
      for (const oldest of entries.keys()) {
        if (entries.size <= entriesMax) break
        entries.delete(oldest)
      }
    }

    async find(id: string): Promise<Payload | undefined> {
      return find(`${this.kind}:${id}`)
    }

    async findByUid(uid: string): Promise<Payload | undefined> {
      return findBy(this.kind, 'uid', uid)
    }

    async findByUserCode(code: string): Promise<Payload | undefined> {
      return findBy(this.kind, 'userCode', code)
    }

    async consume(id: string): Promise<void> {
      const payload = find(`${this.kind}:${id}`)
      if (payload !== undefined) payload.consumed = Math.floor(Date.now() / 1000)
    }

    async destroy(id: string): Promise<void> {
      entries.delete(`${this.kind}:${id}`)
    }

    async revokeByGrantId(grantId: string): Promise<void> {
      // A sign-in as another person ends the grants of the first, and must go on itself.
      for (const [key, { payload }] of entries)
        if (payload.grantId === grantId && !key.startsWith('Interaction:')) entries.delete(key)
    }
  }
}
