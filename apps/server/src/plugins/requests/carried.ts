/** Types of our additions to Fastify's route settings, requests and replies. The plugins in `plugins/` set and read them. */
import type { Entrance, Principal } from '@ulmus/registry'

declare module 'fastify' {
  interface FastifySchema {
    /** True: the route is not in the described API. */
    hide?: boolean
  }
  interface FastifyContextConfig {
    /** The credential the route needs; none when absent. Enforced before the body is read. */
    entrance?: Entrance
    /** False: the route ignores credentials (probes, sign-in, static pages). */
    credentials?: false
    /** False: requests do not count against the rate limit. `sign-in`: those without a credential have a limit of their own; `reports`: all have. */
    limited?: false | 'sign-in' | 'reports'
    /** The URL names immutable content, so caches may store it if it is public: `version`, unless `:v` is `latest`; `hash`, always. */
    names?: 'version' | 'hash'
    /** False: answers have no entity tag. They are streams of data that may change during the answer. */
    tagged?: false
    /** True: callers without a credential get equal answers while the database is unchanged, so stored ones may be sent. */
    repeated?: true
  }

  interface FastifyRequest {
    /** The caller. Set before any handler runs. */
    readonly principal: Principal
  }

  interface FastifyReply {
    /**
     * Derives the entity tag from a basis (a digest, a hash, a cursor) instead of hashing the bytes: for streams and immutable content.
     * Returns the tag of the uncompressed bytes, quotes included.
     */
    tagBy(basis: string): string
    tagBasis: string | null
  }
}
