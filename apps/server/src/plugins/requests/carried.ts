/** Additions to Fastify's routes, requests and replies. */
import type { Entrance, Principal } from '@ulmus/registry'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The credential the route needs; none when absent. Enforced before the body is read. */
    entrance?: Entrance
    /** False: the route takes no credential and looks at none (probes, sign-in, static pages). */
    credentials?: false
    /** False: requests are not counted against the rate limit. `sign-in`: those without a credential are counted apart from others. */
    limited?: false | 'sign-in'
    /**
     * The URL names something that never changes, so that what anyone may read of it can be kept by caches: `version`, when
     * `:v` is not `latest`; `hash`, always.
     */
    names?: 'version' | 'hash'
    /** False: its answers have no entity tag. They are streams of what changes while it is read. */
    tagged?: false
  }

  interface FastifyRequest {
    /** The caller. Known before any handler runs. */
    readonly principal: Principal
  }

  interface FastifyReply {
    /**
     * Names the answer's entity tag by what the answer is made of (a digest, a hash, a cursor), instead of by hashing its bytes:
     * for streams and for what is immutable. Tells the tag that uncompressed bytes will have, quotes included.
     */
    tagBy(basis: string): string
    tagBasis: string | null
  }
}
