import { hash } from 'node:crypto'
import { expect, test } from 'vitest'
import { cpuMilliseconds } from '../../../../content/src/testing/runs.ts'
import { ManifestMarks } from './manifest-marks.ts'

const hashOf = (n: number) => hash('sha256', `${n}`)

test('it knows of every hash what was said of it last, however many there are', () => {
  const marks = new ManifestMarks()
  for (let n = 0; n < 50_000; n++) marks.add(hashOf(n), { private: false, needed: n % 2 === 0 })
  for (let n = 0; n < 50_000; n += 5) marks.add(hashOf(n), { private: true, needed: n % 2 === 0 })
  expect([marks.size, marks.needed, marks.remaining]).toEqual([50_000, 25_000, 25_000])
  for (let n = 0; n < 50_000; n++) {
    if (marks.find(hashOf(n))?.private !== (n % 5 === 0)) throw new Error(`${n} is not as it was said`)
  }
  for (let n = 50_000; n < 60_000; n++) expect(marks.find(hashOf(n))).toBeUndefined()
})

test('a received record counts once, and only if it was needed', () => {
  const marks = new ManifestMarks()
  marks.add(hashOf(1), { private: false, needed: true })
  marks.add(hashOf(2), { private: false, needed: false })
  marks.add(hashOf(3), { private: false, needed: true })
  for (const n of [1, 1, 2, 4]) marks.receive(hashOf(n))
  expect([marks.remaining, marks.receivedNeeded]).toEqual([1, 1])
  marks.add(hashOf(1), { private: false, needed: true })
  expect(marks.remaining).toBe(1)
})

test('100,000 entries take 2.4 MB: at most three of four places are taken', () => {
  const marks = new ManifestMarks()
  for (let n = 0; n < 100_000; n++) marks.add(hashOf(n), { private: false, needed: true })
  expect(marks.bytes).toBe(262_144 * 9)
})

test.each([
  ['their first 32 bits', (n: string) => `00000000${n}`],
  ['their second 32 bits', (n: string) => `${n}00000000`],
  ['all but the bits that count up', (n: string) => `0000${n.slice(4)}${n.slice(4)}0000`],
])('hashes chosen to share %s cost no more than others', (_name, shaped) => {
  const marks = new ManifestMarks()
  const begun = cpuMilliseconds()
  for (let n = 0; n < 200_000; n++) {
    const chosen = shaped(n.toString(16).padStart(8, '0'))
    marks.add(chosen.padEnd(64, '0'), { private: false, needed: true })
  }
  // Takes some 50 ms; one long run of slots would take minutes.
  expect(cpuMilliseconds() - begun).toBeLessThan(3_000)
})
