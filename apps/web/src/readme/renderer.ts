/** Renders readmes in a process of their own, with a fair queue by owner of the collection. */
import { Program } from '@ulmus/registry'

/** HTML; null: too costly, do not retry. Undefined: could not be rendered now. */
export type Rendered = string | null | undefined

export interface ReadmeTask {
  readonly markdown: string
  readonly readmeImages: boolean
}

/** Starts the process at the first readme, and ends it when it is idle. */
export class Renderer {
  readonly #program = new Program<ReadmeTask, string | null>({
    program: new URL('./process.ts', import.meta.url),
    heapMebibytes: 128,
    tasksMax: { owner: 4, all: 200 },
    idleMilliseconds: 30_000,
  })

  /** Never rejects. Resolves to undefined at once if too many readmes wait. */
  async render(owner: string, task: ReadmeTask): Promise<Rendered> {
    const result = await this.#program.run(owner, task)
    if (result.kind === 'answer') return result.answer
    return result.kind === 'too_costly' ? null : undefined
  }
}
