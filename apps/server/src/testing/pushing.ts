/** Fixtures for delta pushes: collections, lines to send, and their outcome. */
import type { Asker } from './asker.ts'
import type { Stage } from './stage.ts'

export const put = (id: string, data: unknown = {}, more = {}) => ({ id, type: 'A', data, ...more })

/** @param stage the one that is set when it is asked for */
export function pushesOn(stage: () => Stage) {
  const newPath = async (isPublic = true) => (await stage().newCollection({ public: isPublic })).path
  return {
    /** Path of a new collection without a version. */
    newPath,
    /** A collection with `v1.0.0`: records 1 and 2 of type `A`. */
    async started(): Promise<string> {
      const path = await newPath()
      await stage().push(path, {
        opening: { schemas: { A: {} }, metadata: { license: 'MIT' } },
        puts: [put('1'), put('2')],
      })
      return path
    },
    /** Path of a session on a new collection. */
    openedWith: async (schemas: Record<string, unknown>, more = {}) =>
      stage().opened(await newPath(), { opening: { schemas, ...more } }),
    state: async (session: string) => (await stage().ada.get(session)).json,
    recordsOf: async (path: string, who: Asker = stage().ada) =>
      (await who.get(`${path}/versions/latest/records?limit=2000`)).json.records as {
        id: string
        type: string
        data: unknown
      }[],
  }
}
