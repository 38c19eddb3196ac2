/** Typed calls by the names of operations, such as `GET /api/accounts/:slug`: the wire package's table has the types of each. */
import type { AnswerOf, JsonInput, OperationName, ParamsOf, QueryInput, RawInput } from '@ulmus/wire'
import { type Page, pageOf } from './lists.ts'
import type { Call, Transport } from './transport.ts'

/** A member that is required if the operation accepts it, optional if it needs none, and forbidden otherwise. */
type Needed<Member extends string, T> = [T] extends [never]
  ? { readonly [M in Member]?: undefined }
  : undefined extends T
    ? { readonly [M in Member]?: T }
    : { readonly [M in Member]: T }
/** Likewise, but optional if all of the member's own members are. */
type Wanted<Member extends string, T> = [T] extends [never]
  ? { readonly [M in Member]?: undefined }
  : Record<never, never> extends T
    ? { readonly [M in Member]?: T }
    : { readonly [M in Member]: T }

/** Path parameters; `{}` for a path without any. */
type Params<N extends OperationName> = [ParamsOf<N>] extends [never]
  ? Readonly<Record<string, never>>
  : Readonly<ParamsOf<N>>

type Input<N extends OperationName> = Wanted<'query', QueryInput<N>> &
  Needed<'json', JsonInput<N>> &
  Needed<'raw', RawInput<N>> &
  Pick<Call, 'repeatable' | 'signal' | 'onRetry'>

/** Arguments after the name of an operation. The input is optional if all its members are. */
type Arguments<N extends OperationName> =
  Record<never, never> extends Input<N>
    ? [params: Params<N>, input?: Input<N>]
    : [params: Params<N>, input: Input<N>]

/**
 * Request for an operation, with percent-encoded path parameters.
 * @throws TypeError for a parameter that cannot be part of a URL
 */
export function requestOf<N extends OperationName>(name: N, ...[params, input]: Arguments<N>): Call {
  const [method, pattern] = name.split(' ') as [Call['method'], string]
  const values = params as Readonly<Record<string, string>>
  const path = pattern.replace(/:(\w+)/g, (_, parameter) => segmentOf(values[parameter]!))
  return { ...input, method, path }
}

/** URL parsers resolve `.` and `..`, percent-encoded or not, so such a parameter would lead to another operation. */
function segmentOf(name: string): string {
  if (name === '.' || name === '..') throw new TypeError(`\`${name}\` cannot be part of a path.`)
  return encodeURIComponent(name)
}

/**
 * Calls an operation and returns the body of the answer.
 * @throws UlmusError; the signal's reason; TypeError for a path parameter that cannot be part of a URL
 */
export const call = async <N extends OperationName>(
  transport: Transport,
  name: N,
  ...args: Arguments<N>
): Promise<AnswerOf<N>> => (await transport.json<AnswerOf<N>>(requestOf(name, ...args))).body

type ItemOf<N extends OperationName> = AnswerOf<N> extends (infer Item)[] ? Item : never

/** Reads a page of a list. @throws as `call` */
export const readPage = async <N extends OperationName>(
  transport: Transport,
  name: N,
  ...args: Arguments<N>
): Promise<Page<ItemOf<N>>> => pageOf(transport, requestOf(name, ...args))
