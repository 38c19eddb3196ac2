/** Prints the steps of the demo with their times, and progress while they run. */

export interface Report {
  /** Prints a heading. */
  section(title: string): void
  /** Runs a step. Prints its result and its duration. */
  step<T>(
    name: string,
    work: (progress: (now: string) => void) => Promise<T>,
    say?: (result: T) => string,
  ): Promise<T>
  /** The steps so far with their times, slowest first. */
  times(): { name: string; seconds: number }[]
  line(text: string): void
}

/** Width of the first column. Characters. */
export const nameWidth = 46

export function openReport(out: NodeJS.WriteStream): Report {
  const taken: { name: string; seconds: number }[] = []
  /** Progress is redrawn in place on a terminal and omitted elsewhere, where each update would add a line. */
  const show = (text: string) => out.isTTY && out.write(`\r\u001b[2K${text}`)
  let heading = ''
  return {
    section(title) {
      heading = title
      out.write(`\n${title}\n`)
    },
    async step(name, work, say = () => '') {
      const begun = performance.now()
      const label = `  ${name}`.padEnd(nameWidth)
      show(`${label} …`)
      const result = await work((now) => show(`${label} ${now}`))
      const seconds = (performance.now() - begun) / 1_000
      taken.push({ name: `${heading.replace(/ \(.*/, '')}: ${name}`, seconds })
      show('')
      out.write(`${label} ${timeText(seconds).padStart(8)}  ${say(result)}`.trimEnd().concat('\n'))
      return result
    },
    times: () => taken.toSorted((a, b) => b.seconds - a.seconds),
    line: (text) => void out.write(`${text}\n`),
  }
}

/** `12 ms`, `1.24 s` */
export const timeText = (seconds: number): string =>
  seconds < 1 ? `${Math.round(seconds * 1_000)} ms` : `${seconds.toFixed(2)} s`

/** `171,325` */
export const countText = (count: number): string => count.toLocaleString('en')

/** `12.4 MB` */
export function bytesText(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  return bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
}
