/**
 * State machine of push sessions, with a cell for every (state, event); `refused` is answered as `push_not_open`. Only the lease
 * holder (`leases.ts`) moves a session out of `committing` or `checking` (a dry run). Exceptions: a dry run can be cancelled, and
 * its lease can expire. `states.test.ts` checks the statements that move sessions against every cell.
 *
 *     checking
 *       │ ▲
 *  reopen try
 *       ▼ │
 *     open ──commit──▶ committing ──done──▶ committed
 *       │ ▲               │   │
 *       │ └───reopen──────┘   └──fail──▶ failed
 *       ├──cancel──▶ cancelled
 *       └──expire──▶ expired
 */
import type { PushRow } from '@ulmus/storage'

/** States as rows and answers name them. */
export type PushState = PushRow['status']
/** `try` begins a dry run, `done` and `fail` end a commit, `reopen` ends either without a version. */
export type PushEvent = 'receive' | 'try' | 'commit' | 'done' | 'reopen' | 'fail' | 'cancel' | 'expire'

/** Next state by state and event. The statements of storage must agree with it: change both. */
export const pushTable: Record<PushState, Record<PushEvent, PushState | 'refused'>> = {
  open: {
    receive: 'open',
    try: 'checking',
    commit: 'committing',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'expired',
  },
  checking: {
    // The dry run's answer would lack data received meanwhile.
    receive: 'refused',
    // Both wait for the running dry run, and then run on the open session.
    try: 'refused',
    commit: 'refused',
    done: 'refused',
    reopen: 'open',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'refused',
  },
  committing: {
    receive: 'refused',
    try: 'refused',
    // Committing twice answers with the first result.
    commit: 'committing',
    done: 'committed',
    // Repairable faults (missing files, records that break a new schema) leave the session to its owner.
    reopen: 'open',
    fail: 'failed',
    cancel: 'refused',
    expire: 'refused',
  },
  committed: {
    receive: 'refused',
    try: 'refused',
    commit: 'committed',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'refused',
    expire: 'refused',
  },
  failed: {
    receive: 'refused',
    try: 'refused',
    commit: 'refused',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'refused',
  },
  cancelled: {
    receive: 'refused',
    try: 'refused',
    commit: 'refused',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'refused',
  },
  expired: {
    receive: 'refused',
    try: 'refused',
    commit: 'refused',
    done: 'refused',
    reopen: 'refused',
    fail: 'refused',
    cancel: 'cancelled',
    expire: 'expired',
  },
}

/** True if the session has not ended: its received data is stored until then. */
export const isLive = (state: PushState): boolean => ['open', 'checking', 'committing'].includes(state)

/** The states that accept an event. */
export const statesFor = (event: PushEvent): PushState[] =>
  (Object.keys(pushTable) as PushState[]).filter((state) => pushTable[state][event] !== 'refused')
