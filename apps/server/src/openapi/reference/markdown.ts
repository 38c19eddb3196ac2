/** Markdown of tables and code blocks. */

/** A table; empty without rows. */
export function tableOf(heads: readonly string[], rows: readonly (readonly string[])[]): string {
  if (rows.length === 0) return ''
  const line = (cells: readonly string[]) => `| ${cells.map(cellOf).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}

const cellOf = (text: string): string => text.replaceAll('|', '\\|').replaceAll(/\s*\n\s*/g, ' ')

export const codeOf = (language: string, text: string): string =>
  `\`\`\`${language}\n${text.trimEnd()}\n\`\`\``

/** An example as a code block: a text as it is, other values as indented JSON. */
export const exampleOf = (value: unknown): string =>
  typeof value === 'string' ? codeOf('', value) : codeOf('json', JSON.stringify(value, null, 2))
