/** Fixtures for snapshot pushes, in addition to `stage.ts`: manifests with their records, sessions, and outcomes. */
import { hash } from 'node:crypto'
import { type Json, recordOf } from '@ulmus/content'
import { pushesOn, type Stage } from './stage.ts'
import { expectStatus, type TestClient } from './test-client.ts'

export interface Item {
  id: string
  type: string
  data: Json
  private?: boolean
}

export const item = (id: string, data: Json = {}, more: Partial<Item> = {}): Item => ({
  id,
  type: 'A',
  data,
  ...more,
})
export const hashOf = ({ id, type, data }: Item): string => recordOf(id, type, data).hash
export const entryOf = ({ id, type, data, private: hidden }: Item) => ({
  id,
  type,
  hash: hashOf({ id, type, data }),
  ...(hidden === undefined ? {} : { private: hidden }),
})
export const many = (count: number, data: (n: number) => Json = () => 0) =>
  Array.from({ length: count }, (_, n) => item(`${n}`.padStart(6, '0'), data(n)))
/** Manifest entries of records that need not exist. */
export const entries = (count: number) =>
  Array.from({ length: count }, (_, n) => ({ id: `${n}`, type: 'A', hash: hash('sha256', `${n}`) }))

/** @param stage returns the current stage */
export function snapshotsOn(stage: () => Stage) {
  const { newPath, state, recordsOf } = pushesOn(stage)
  const openingOf = (more: Record<string, unknown> = {}) => ({
    base_version: null,
    schemas: { A: {} },
    ...more,
  })
  const negotiate = (path: string, more: Record<string, unknown> = {}, client: TestClient = stage().ada) =>
    client.post(`${path}/versions/negotiate`, openingOf(more))
  const sessionOf = (path: string, id: string) => `${path}/versions/negotiate/${id}`
  async function openedWith(path: string, more: Record<string, unknown>): Promise<string> {
    const { json } = await expectStatus(negotiate(path, more), 200)
    return sessionOf(path, json.session_id)
  }
  /** Opens a session with an inline manifest. Returns its path. */
  const opened = (path: string, items: readonly Item[], more: Record<string, unknown> = {}) =>
    openedWith(path, { manifest: items.map(entryOf), ...more })
  return {
    newPath,
    openingOf,
    negotiate,
    sessionOf,
    opened,
    /** Opens a session that still awaits its manifest. Returns its path. */
    openedFor: (path: string, expected: number, more: Record<string, unknown> = {}) =>
      openedWith(path, { manifest_expected: expected, ...more }),
    chunk: (session: string, items: readonly Item[]) =>
      stage().ada.lines(`${session}/manifest`, items.map(entryOf)),
    /** Pushes a complete snapshot with all its records. Returns the commit's answer. */
    async snapshot(path: string, items: readonly Item[], more: Record<string, unknown> = {}) {
      const session = await opened(path, items, more)
      await stage().ada.lines(`${session}/records`, items)
      return (await expectStatus(stage().ada.post(`${session}/commit`), 201)).json
    },
    state,
    recordsOf,
  }
}
