/** Ties child processes to the run: they are killed at its end, whatever the reason. */
import type { ChildProcess } from 'node:child_process'

const living = new Set<ChildProcess>()

process.on('exit', () => {
  for (const child of living) child.kill('SIGKILL')
})

/** @returns the same child; it is killed if this process ends first */
export function tied<Child extends ChildProcess>(child: Child): Child {
  living.add(child)
  child.once('exit', () => living.delete(child))
  return child
}
