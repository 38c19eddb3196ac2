/**
 * Runs one command on a working folder per round: each begins when a file appears, reports whether it holds the lock, and ends when another
 * file appears.
 */
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { withFolder } from './lock.ts'

const [root = '', signals = '', rounds = ''] = process.argv.slice(2)

process.stdout.write('ready\n')
for (let round = 0; round < Number(rounds); round++) {
  // Busy-wait, so that as many processes as possible begin at the same instant.
  while (!existsSync(`${signals}/begin-${round}`));
  try {
    await withFolder(root, async () => {
      process.stdout.write('has it\n')
      while (!existsSync(`${signals}/end-${round}`)) await setTimeout(2)
    })
  } catch (error) {
    process.stdout.write(`${(error as Error).message}\n`)
    while (!existsSync(`${signals}/end-${round}`)) await setTimeout(2)
  }
}
