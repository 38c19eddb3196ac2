/** Calls from the page to its worker. The worker reads, compares and pushes the file, so the page stays responsive. */
import { type Refusal, refusalOf } from './refusal.ts'

/** Functions of the worker, by name. `report` shows progress beside the pressed button. */
export type Calls = Record<string, (input: never, report: Report) => Promise<unknown>>
/** Shows progress beside the pressed button. */
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

/** The file, the plan or the registry refused a call. */
export class RefusedError extends Error {
  readonly refusal: Refusal

  constructor(refusal: Refusal) {
    super(refusal.sentence)
    this.name = 'RefusedError'
    this.refusal = refusal
  }
}

/** In the worker: answers the calls of the page. @param convert an error for display; it may need a script that does not load */
export function answerCalls(calls: Calls, convert: (error: unknown) => Promise<Refusal>): void {
  const answer = (message: Message) => postMessage(message)
  const run = async ({ number, name, input }: Request) => {
    const report: Report = (progress) => answer({ number, progress })
    try {
      answer({ number, result: await calls[name]!(input as never, report) })
    } catch (error) {
      answer({
        number,
        refusal: await convert(error).catch(() => refusalOf((error as Error).message)),
      })
    }
  }
  // Run calls in sequence: they share the open file.
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

/**
 * In the page: calls the worker at `script`, which starts at the first call. Calls reject with RefusedError. @param script path of the
 * worker @param name of the worker, which it can read
 */
export function callsOf<Offered extends Calls>(script: string, name: string): Caller<Offered> {
  const waiting = new Map<number, (message: Message) => void>()
  let worker: Worker | undefined
  let last = 0
  return (call, input, report) =>
    new Promise((resolve, reject) => {
      worker ??= started(new Worker(script, { type: 'module', name }), waiting)
      const number = ++last
      waiting.set(number, (message) => {
        if ('progress' in message) return report(message.progress)
        waiting.delete(number)
        if ('refusal' in message) reject(new RefusedError(message.refusal))
        else resolve(message.result as never)
      })
      worker.postMessage({ number, name: call, input } satisfies Request)
    })
}

function started(worker: Worker, waiting: ReadonlyMap<number, (message: Message) => void>): Worker {
  worker.onmessage = ({ data }: MessageEvent<Message>) => waiting.get(data.number)?.(data)
  worker.onerror = ({ message }) => {
    const sentence = message || 'A part of this page could not be loaded. Reload the page.'
    for (const [number, settle] of waiting) settle({ number, refusal: refusalOf(sentence) })
  }
  return worker
}
