import { expect, test } from 'vitest'
import { importsOf, isForTests, sourceFiles } from './source-files.ts'

/** Folders whose subfolders are rooms of their own. */
const divided = new Set([
  'packages/registry/src/pushes',
  'packages/storage/src/blobs',
  'packages/storage/src/sql',
  'apps/cli/src/folder',
  'apps/server/src/plugins',
  'apps/web/src/pages',
])

/** The room of a file: its folder under `floor`, or its subfolder in a divided one. A file directly under `floor` is a room of its own. */
function roomOf(file: string, floor: string): string | undefined {
  if (!file.startsWith(`${floor}/`)) return undefined
  const path = file.slice(floor.length + 1)
  const [room, ...rest] = path.split('/').slice(0, -1)
  if (room === undefined) return path
  if (rest.length === 0 || !divided.has(`${floor}/${room}`)) return room
  return `${room}/${rest[0]}`
}

/** Which rooms each room imports. Tests and `testing/` folders do not count. */
const rooms = (floor: string): Map<string, Set<string>> => {
  const doors = new Map<string, Set<string>>()
  for (const { file, target } of sourceFiles.filter((one) => !isForTests(one)).flatMap(importsOf)) {
    const [from, to] = [roomOf(file, floor), target && roomOf(target, floor)]
    if (from === undefined || to === undefined || from === to) continue
    doors.set(from, (doors.get(from) ?? new Set()).add(to))
  }
  return doors
}

const floors = [
  'packages/content/src',
  'packages/storage/src',
  'packages/registry/src',
  'apps/cli/src',
  'apps/server/src',
  'apps/web/src',
]

test.each(floors)('the rooms of %s lie on stairs: none needs one that needs it', (floor) => {
  const doors = rooms(floor)
  expect(doors.size).toBeGreaterThan(2)
  const above = new Map<string, string[]>()
  const visit = (room: string, way: readonly string[]): string | undefined => {
    if (way.includes(room)) return [...way.slice(way.indexOf(room)), room].join(' → ')
    if (above.has(room)) return undefined
    for (const next of doors.get(room) ?? []) {
      const circle = visit(next, [...way, room])
      if (circle !== undefined) return circle
    }
    above.set(room, [...way])
    return undefined
  }
  const circles = [...doors.keys()].map((room) => visit(room, [])).filter((circle) => circle !== undefined)
  expect([...new Set(circles)], 'Move what both need into a room below both.').toEqual([])
})

test('a folder has at most 16 files', () => {
  const files = sourceFiles.filter(
    (file) => floors.some((floor) => file.startsWith(`${floor}/`)) && !isForTests(file),
  )
  const counts = Map.groupBy(files, (file) => file.split('/').slice(0, -1).join('/'))
  const crowded = [...counts]
    .filter(([, inIt]) => inIt.length > 16)
    .map(([room, inIt]) => `${room}: ${inIt.length}`)
  expect(crowded, 'Divide it by what its parts are about.').toEqual([])
})
