/** Work that is ended when it takes too long, though it never pauses: V8 can be told to stop, by `node:vm` alone. */
import { createContext, Script } from 'node:vm'

const place = createContext({ work: undefined })
const script = new Script('work()')

/** What `work` answers; undefined when it was stopped after so many milliseconds. */
export function withinTime<T>(milliseconds: number, work: () => T): T | undefined {
  place['work'] = work
  try {
    return script.runInContext(place, { timeout: milliseconds }) as T
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ERR_SCRIPT_EXECUTION_TIMEOUT') return undefined
    throw error
  } finally {
    place['work'] = undefined
  }
}
