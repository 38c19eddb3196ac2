/** Commands of a working folder, one a round: each begins once a file is there, says whether it has the folder, and ends once another is. */
import { existsSync } from 'node:fs'
import { setTimeout } from 'node:timers/promises'
import { withFolder } from './lock.ts'

const [root = '', signals = '', rounds = ''] = process.argv.slice(2)

process.stdout.write('ready\n')
for (let round = 0; round < Number(rounds); round++) {
  // Not asleep, so that as many as can begin at the same instant.
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
