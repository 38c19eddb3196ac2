/** Calls from the page to its worker. The worker reads the file, compares it and pushes it, so the page never stalls. */
import { type Refusal, refusalOf } from './refusal.ts'

/** Functions that the worker offers, by name. `report` shows progress beside the button that was pressed. */
export type Calls = Record<string, (input: never, report: Report) => Promise<unknown>>
export type Report = (text: string) => void

interface Request {
  readonly number: number
  readonly name: string
  readonly input: unknown
}

type Message = { readonly number: number } & (
  | { readonly progress: string }
  | { readonly result: unknown }
  | { readonly refusal: Refusal }
)

/** A call that the file, the plan or the registry refused. */
export class RefusedError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.sentence)
    this.name = 'RefusedError'
    this.refusal = refusal
  }
}

/** In the worker: answers the calls of the page. @param refusalOf what to show for an error */
export function answerCalls(calls: Calls, refusalOf: (error: unknown) => Promise<Refusal> | Refusal): void {
  const answer = (message: Message) => postMessage(message)
  const run = async ({ number, name, input }: Request) => {
    const report: Report = (progress) => answer({ number, progress })
    try {
      answer({ number, result: await calls[name]!(input as never, report) })
    } catch (error) {
      answer({ number, refusal: await refusalOf(error) })
    }
  }
  // One after the other: calls share the file that is open.
  let last = Promise.resolve()
  self.onmessage = ({ data }: MessageEvent<Request>) => {
    last = last.then(() => run(data))
  }
}

type Input<Call> = Call extends (input: infer One, ...rest: never[]) => unknown ? One : never
type Result<Call> = Call extends (...input: never[]) => Promise<infer One> ? One : never

export type Caller<Offered extends Calls> = <Name extends keyof Offered & string>(
  name: Name,
  input: Input<Offered[Name]>,
  report: Report,
) => Promise<Result<Offered[Name]>>

/** In the page: calls a worker, which starts with the first call. Calls reject with RefusedError. @param script path of the worker */
export function callsOf<Offered extends Calls>(script: string): Caller<Offered> {
  const waiting = new Map<number, (message: Message) => void>()
  let worker: Worker | undefined
  let last = 0
  return (name, input, report) =>
    new Promise((resolve, reject) => {
      worker ??= started(script, waiting)
      const number = ++last
      waiting.set(number, (message) => {
        if ('progress' in message) return report(message.progress)
        waiting.delete(number)
        if ('refusal' in message) reject(new RefusedError(message.refusal))
        else resolve(message.result as never)
      })
      worker.postMessage({ number, name, input } satisfies Request)
    })
}

function started(script: string, waiting: ReadonlyMap<number, (message: Message) => void>): Worker {
  const worker = new Worker(script, { type: 'module' })
  worker.onmessage = ({ data }: MessageEvent<Message>) => waiting.get(data.number)?.(data)
  worker.onerror = ({ message }) => {
    const sentence = message || 'A part of this page could not be loaded. Reload the page.'
    for (const [number, settle] of waiting) settle({ number, refusal: refusalOf(sentence) })
  }
  return worker
}
