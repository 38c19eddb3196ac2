/** Calls by the names of operations, such as `GET /api/accounts/:slug`: the wire package's table gives the types of each. */
import type { AnswerOf, JsonInput, OperationName, ParamsOf, QueryInput, RawInput } from '@ulmus/wire'
import { type Page, pageOf } from './lists.ts'
import type { Call, Transport } from './transport.ts'

/** A member that is needed where the operation takes it, and forbidden where it does not. */
type Needed<Member extends string, T> = [T] extends [never]
  ? { readonly [M in Member]?: undefined }
  : { readonly [M in Member]: T }
/** Likewise, but not needed if all of it is optional. */
type Wanted<Member extends string, T> = [T] extends [never]
  ? { readonly [M in Member]?: undefined }
  : Record<never, never> extends T
    ? { readonly [M in Member]?: T }
    : { readonly [M in Member]: T }

/** Path parameters; `{}` for a path without. */
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
 * The request for an operation, with percent-encoded path parameters.
 * @throws TypeError for a parameter that no address can carry
 */
export function requestOf<N extends OperationName>(name: N, ...[params, input]: Arguments<N>): Call {
  const [method, pattern] = name.split(' ') as [Call['method'], string]
  const values = params as Readonly<Record<string, string>>
  const path = pattern.replace(/:(\w+)/g, (_, parameter) => segmentOf(values[parameter]!))
  return { ...input, method, path }
}

/** URL parsers take `.` and `..` for steps here and up, percent-encoded or not, so such a name would lead to another call. */
function segmentOf(name: string): string {
  if (name === '.' || name === '..') throw new TypeError(`\`${name}\` is no name that an address can carry.`)
  return encodeURIComponent(name)
}

/**
 * The body of the answer to an operation.
 * @throws UlmusError; the signal's reason; TypeError for a path parameter that no address can carry
 */
export const call = async <N extends OperationName>(
  transport: Transport,
  name: N,
  ...args: Arguments<N>
): Promise<AnswerOf<N>> => (await transport.json<AnswerOf<N>>(requestOf(name, ...args))).body

type ItemOf<N extends OperationName> = AnswerOf<N> extends (infer Item)[] ? Item : never

/** A page of a list. @throws as `call` */
export const readPage = async <N extends OperationName>(
  transport: Transport,
  name: N,
  ...args: Arguments<N>
): Promise<Page<ItemOf<N>>> => pageOf(transport, requestOf(name, ...args))
