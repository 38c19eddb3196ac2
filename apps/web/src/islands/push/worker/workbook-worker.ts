/** A worker of its own for a workbook: a hostile one may block its thread, which is then ended. */
import {
  answerMillisecondsMax,
  TableError,
  type WorkbookAnswer,
  type WorkbookProcess,
  type WorkbookRequest,
} from '@ulmus/tabular'

export class WorkbookWorker implements WorkbookProcess {
  readonly #worker: Worker
  readonly #name: string

  constructor(script: string, file: File) {
    this.#name = file.name
    this.#worker = new Worker(script, { type: 'module' })
    this.#worker.postMessage(file)
  }

  ask<Result>(request: WorkbookRequest): Promise<Result> {
    return new Promise((resolve, reject) => {
      const fail = (reason: string) =>
        reject(new TableError(`The workbook cannot be read: ${reason}.`, this.#name, {}, this.#name))
      const late = () => {
        this.close()
        fail(`it takes more than ${answerMillisecondsMax / 1000} seconds`)
      }
      const timer = setTimeout(late, answerMillisecondsMax)
      this.#worker.onmessage = ({ data }: MessageEvent<WorkbookAnswer>) => {
        clearTimeout(timer)
        if ('error' in data) fail(data.error)
        else resolve(data.result as Result)
      }
      this.#worker.onerror = ({ message }) => {
        clearTimeout(timer)
        fail(message || 'a part of this page could not be loaded')
      }
      this.#worker.postMessage(request)
    })
  }

  close(): void {
    this.#worker.terminate()
  }
}
