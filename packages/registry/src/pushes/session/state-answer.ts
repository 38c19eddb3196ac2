import type { PushState } from '@ulmus/wire'
import type { StoredRefusal } from '../../errors/errors.ts'

/** State of a push session in answers. `error`: refusal of the last commit, or the reason of the session's failure. */
export type PushStateAnswer = Omit<PushState, 'error'> & { error: StoredRefusal | null }
