/** How `npm start` starts the server. Tests and benchmarks of whole processes start it so, too. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const root = join(import.meta.dirname, '../../../..')
const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
  scripts: { start: string }
}
const [, variables, options, script] = /^exec env ((?:\w+=\w+ )+)node (.*) (\S+)$/.exec(scripts.start)!

export const startEnvironment: Readonly<Record<string, string>> = Object.fromEntries(
  variables!
    .trimEnd()
    .split(' ')
    .map((variable) => variable.split('=')),
)
/** Of Node: options, then the script. */
export const startArguments: readonly string[] = [...options!.split(' '), join(root, script!)]
