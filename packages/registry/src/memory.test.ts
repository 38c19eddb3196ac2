import { expect, test } from 'vitest'
import { cgroupLimit, memoryBudgetsOf, memoryOf } from './memory.ts'

const mebibyte = 1024 ** 2
const budgetsOf = (mebibytes: number) => {
  const { cache, bodies, answers, heapMebibytes, threads } = memoryBudgetsOf(mebibytes * mebibyte)
  return [...[cache, bodies, answers].map((bytes) => Math.round(bytes / mebibyte)), heapMebibytes, threads]
}

test('budgets follow the memory downwards, and are bounded upwards', () => {
  expect(budgetsOf(512)).toEqual([16, 32, 64, 128, 1])
  expect(budgetsOf(1_024)).toEqual([115, 230, 230, 256, 4])
  expect(budgetsOf(2_048)).toEqual([256, 512, 512, 512, 10])
  expect(budgetsOf(8_192)).toEqual([256, 2_048, 2_048, 1_024, 49])
  expect(budgetsOf(65_536)).toEqual([256, 2_048, 2_048, 1_024, 407])
})

test('DuckDB gets an eighth of the memory, and nothing of a small one', () => {
  const engineOf = (mebibytes: number) => memoryBudgetsOf(mebibytes * mebibyte).engineMebibytes
  expect([512, 1_024, 2_048, 65_536].map(engineOf)).toEqual([0, 128, 256, 512])
})

test('a limit counts where it is smaller than the machine, and none is none', () => {
  const [machine, none] = [64 * 1_024 * mebibyte, 2 ** 64]
  expect(memoryOf(machine, none, Number.POSITIVE_INFINITY)).toBe(machine)
  expect(memoryOf(machine, 0, Number.POSITIVE_INFINITY)).toBe(machine)
  expect(memoryOf(machine, none, 512 * mebibyte)).toBe(512 * mebibyte)
  expect(memoryOf(machine, 256 * mebibyte, 512 * mebibyte)).toBe(256 * mebibyte)
})

test('the limit of a cgroup is the smallest of its own and of those above it', () => {
  const limitIn = (files: Record<string, string>) =>
    cgroupLimit((path) => files[path] ?? expect.fail(`no ${path}`))
  const own = { '/proc/self/cgroup': '4:memory:/other\n0::/system.slice/ulmus.service\n' }
  expect(limitIn(own)).toBe(Number.POSITIVE_INFINITY)
  const unit = '/sys/fs/cgroup/system.slice/ulmus.service/memory.max'
  const slice = '/sys/fs/cgroup/system.slice/memory.max'
  expect(limitIn({ ...own, [unit]: 'max\n', [slice]: 'max\n' })).toBe(Number.POSITIVE_INFINITY)
  expect(limitIn({ ...own, [unit]: '2000\n', [slice]: 'max\n' })).toBe(2_000)
  expect(limitIn({ ...own, [unit]: '2000\n', [slice]: '1000\n' })).toBe(1_000)
  // A container sees its own cgroup as the root.
  expect(limitIn({ '/proc/self/cgroup': '0::/\n', '/sys/fs/cgroup/memory.max': '3000\n' })).toBe(3_000)
  expect(limitIn({})).toBe(Number.POSITIVE_INFINITY)
})
