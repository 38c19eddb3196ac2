/** Breaks nothing for a while: small questions must be answered in time beside hostile ones. */
import type { Fault } from './fault.ts'

export const calm: Fault = {
  kind: 'nothing',
  weight: 4,
  isPossible: () => true,
  prepare: ({ random, lastsMax }) => ({
    what: 'all works',
    lasts: random.between(lastsMax >> 1, lastsMax),
    breaksNothing: true,
    begin: async () => undefined,
    end: async () => undefined,
  }),
}
