/** Output of `ulmus` and `ulmus --help`: commands grouped by task, from the table. */
import { words } from './command-table.ts'
import { version } from './version.ts'

const width = 25

export function overview(): string {
  const lines = Object.values(words).flatMap(({ group, line }) =>
    line === undefined ? [] : [{ group, line }],
  )
  const groups = new Set(lines.map(({ group }) => group))
  return [
    `ulmus ${version}: versioned, structured data. Publish it, read it, verify it.`,
    '',
    ...[...groups].flatMap((title) => [
      title,
      ...lines
        .filter(({ group }) => group === title)
        .map(({ line: [name, brief] }) => `  ${name.padEnd(width)}${brief}`),
      '',
    ]),
    'REF is owner/slug, owner/slug@v1.2.0 or owner/slug#Type/id.',
    'Run `ulmus COMMAND --help` for the flags of a command.',
    '',
  ].join('\n')
}
