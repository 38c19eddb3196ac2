/** Renders readmes in a process of their own, in turns of the owners of collections. */
import { Program } from '@ulmus/registry'

/** HTML; null: too costly, now and later. Undefined: it could not be rendered now. */
export type Rendered = string | null | undefined

export interface ReadmeTask {
  readonly markdown: string
  readonly readmeImages: boolean
}

export class Renderer {
  readonly #program = new Program<ReadmeTask, string | null>({
    program: new URL('./process.ts', import.meta.url),
    heapMebibytes: 128,
    tasksMax: { owner: 4, all: 200 },
    idleMilliseconds: 30_000,
  })

  /** Never rejects. Undefined at once while too many readmes wait. */
  async render(owner: string, task: ReadmeTask): Promise<Rendered> {
    const result = await this.#program.run(owner, task)
    if (result.kind === 'answer') return result.answer
    return result.kind === 'too_costly' ? null : undefined
  }
}
