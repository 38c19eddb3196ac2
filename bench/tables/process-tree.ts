/** CPU and memory of a process with its descendants. Linux only. */
import { readdirSync, readFileSync } from 'node:fs'

/** Length of a tick in `/proc/*\/stat`, which is the same on all usual systems. Milliseconds. */
const tickMs = 10
const samplingMs = 50

interface Process {
  readonly pid: number
  readonly parent: number
  /** CPU time of the process and of its ended children. */
  readonly cpuMs: number
}

function processes(): Process[] {
  return readdirSync('/proc').flatMap((name) => {
    if (!/^\d+$/.test(name)) return []
    try {
      const stat = readFileSync(`/proc/${name}/stat`, 'utf8')
      // The name of the program, in brackets, may contain spaces.
      const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
      const ticks = fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0)
      return [{ pid: Number(name), parent: Number(fields[1]), cpuMs: ticks * tickMs }]
    } catch {
      // Ended meanwhile.
      return []
    }
  })
}

function treeOf(root: number): Process[] {
  const all = processes()
  const tree = all.filter(({ pid }) => pid === root)
  for (const { pid } of tree) tree.push(...all.filter(({ parent }) => parent === pid))
  return tree
}

const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

/** CPU of all threads of a process, its descendants and those that ended. Milliseconds. */
export const cpuOfTree = (root: number): number => sum(treeOf(root).map(({ cpuMs }) => cpuMs))

/** Memory of a process, with its part of the pages that it shares with others, as in the limit of a container. MiB. */
function memoryOf({ pid }: Process): number {
  try {
    const [, kibibytes] = /^Pss: +(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))!
    return Number(kibibytes) / 1_024
  } catch {
    // Ended meanwhile.
    return 0
  }
}

/** Memory of a process with its descendants; 0 if it has ended. MiB. */
export const memoryOfTree = (root: number): number => sum(treeOf(root).map(memoryOf))

/** Samples the memory of a tree until it is stopped. */
export function watchMemory(root: number) {
  let peak = { all: 0, root: 0 }
  const sample = () => {
    const memory = treeOf(root).map(memoryOf)
    const all = sum(memory)
    if (all > peak.all) peak = { all, root: memory[0] ?? 0 }
  }
  sample()
  const before = peak.all
  const timer = setInterval(sample, samplingMs)
  return {
    /** @returns MiB: of all processes before and at the peak, and of the first process at the peak */
    stop() {
      clearInterval(timer)
      return { before, ...peak }
    },
  }
}
