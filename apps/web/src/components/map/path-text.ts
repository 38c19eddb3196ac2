/** Paths of SVG in whole units, each point relative to the last one. Parts that shrink to less than a line or an area are omitted. */
export class PathText {
  #text = ''
  #part: [x: number, y: number][] = []

  beginPath(): void {
    this.#finish(false)
  }

  moveTo(x: number, y: number): void {
    this.#finish(false)
    this.#part = [[Math.round(x), Math.round(y)]]
  }

  lineTo(x: number, y: number): void {
    const next: [number, number] = [Math.round(x), Math.round(y)]
    const last = this.#part.at(-1)!
    if (next[0] !== last[0] || next[1] !== last[1]) this.#part.push(next)
  }

  /** For points, which are drawn otherwise. */
  arc(): void {}

  closePath(): void {
    this.#finish(true)
  }

  end(): string {
    this.#finish(false)
    return this.#text
  }

  #finish(isClosed: boolean): void {
    const [first, ...rest] = this.#part
    this.#part = []
    if (first === undefined || rest.length < (isClosed ? 2 : 1)) return
    let [x, y] = first
    const steps = rest.map(([toX, toY]) => {
      const step = `${toX - x},${toY - y}`
      ;[x, y] = [toX, toY]
      return step
    })
    this.#text += `M${first.join()}l${steps.join(' ').replaceAll(/[ ,]-/g, '-')}${isClosed ? 'z' : ''}`
  }
}
