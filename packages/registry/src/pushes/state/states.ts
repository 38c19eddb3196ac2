/**
 * The life of a push session. Every (state, event) has its cell; `refused` is answered as `push_not_open`.
 * What leads out of `committing` is for the holder of its lease alone (`leases.ts`). `states.test.ts` holds the statements that move
 * sessions to every cell.
 *
 *     open ──commit──▶ committing ──done──▶ committed
 *       │ ▲               │   │
 *       │ └───reopen──────┘   └──fail──▶ failed
 *       ├──cancel──▶ cancelled
 *       └──expire──▶ expired
 */
import type { PushRow } from '@ulmus/storage'

export type PushState = PushRow['status']
export type PushEvent = 'receive' | 'commit' | 'done' | 'reopen' | 'fail' | 'cancel' | 'expire'

export const pushTable: Record<PushState, Record<PushEvent, PushState | 'refused'>> = {
  open: {
    receive: 'open',
    commit: 'committing',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'expired',
  },
  committing: {
    receive: 'refused',
    // Committing twice answers with the first result.
    commit: 'committing',
    done: 'committed',
    // What can be mended (missing files, records that break a new schema) leaves the session to its owner.
    reopen: 'open',
    fail: 'failed',
    cancel: 'refused',
    expire: 'refused',
  },
  committed: {
    receive: 'refused',
    commit: 'committed',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'refused',
    expire: 'refused',
  },
  failed: {
    receive: 'refused',
    commit: 'refused',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'refused',
  },
  cancelled: {
    receive: 'refused',
    commit: 'refused',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'refused',
  },
  expired: {
    receive: 'refused',
    commit: 'refused',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'expired',
  },
}

/** Whether a session has not ended: what it was sent is kept until then. */
export const isLive = (state: PushState): boolean => state === 'open' || state === 'committing'

/** The states in which an event is taken, and where it leads from each. */
export const statesFor = (event: PushEvent): PushState[] =>
  (Object.keys(pushTable) as PushState[]).filter((state) => pushTable[state][event] !== 'refused')
