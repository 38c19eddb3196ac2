/** Processes that a run starts: none outlives it, however it ends. */
import type { ChildProcess } from 'node:child_process'

const living = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** @returns the same child, which is killed when this process ends before it */
export function tied<Child extends ChildProcess>(child: Child): Child {
  living.add(child)
  child.once('exit', () => living.delete(child))
  return child
}
