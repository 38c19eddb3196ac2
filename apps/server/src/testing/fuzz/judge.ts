/** Finds the operation of a request, and faults of its response. */

import type { Contract, DescribedCall } from '../contract.ts'
import type { TestResponse } from '../test-client.ts'
import type { Wire } from './sending.ts'

/** Statuses without an operation: unknown path, wrong method, invalid credential, malformed HTTP. */
const elsewhere = new Set([400, 401, 403, 404, 405, 413, 415, 417, 429])

/** True for a segment that `{name}`, `{name}.csv` or the same text describes. The router finds no line breaks before an ending. */
function fits(segment: string, described: string): boolean {
  if (!described.startsWith('{')) return segment === described
  const ending = described.slice(described.indexOf('}') + 1)
  return ending === '' || (segment.endsWith(ending) && !/[\n\r\u2028\u2029]/.test(segment))
}

export function judgeOf(contract: Contract) {
  /** The operation of a target; literal segments take precedence over parameters. Undefined: none. */
  function operationAt(method: string, target: string): DescribedCall | undefined {
    const parts = pathOf(target)?.split('/').map(decoded)
    if (parts === undefined || parts.includes(undefined)) return undefined
    const fitting = contract.calls.filter((call) => {
      const own = call.path.split('/')
      return (
        call.method === method && own.length === parts.length && own.every((part, n) => fits(parts[n]!, part))
      )
    })
    return fitting.sort((a, b) => (a.path.replaceAll('{', '~') < b.path.replaceAll('{', '~') ? -1 : 1))[0]
  }

  return {
    operationAt,

    /** Faults of a response; empty if there are none. */
    faultsOf(wire: Wire, response: TestResponse): string[] {
      const { method } = wire
      const call = operationAt(method === 'HEAD' ? 'GET' : method, wire.target)
      const name = `${method} ${response.status}`
      if (response.status >= 500) return [`${name}: ${response.text.slice(0, 300)}`]
      if (method === 'HEAD' && response.bytes.length > 0) return [`${name} has a body`]
      if (method === 'HEAD') return []
      // A preflight, answered by the CORS plugin.
      if (method === 'OPTIONS' && response.status === 204) return []
      if (call !== undefined) {
        const faults = contract.faultsOf(call, response)
        // Refusals of the HTTP server belong to no operation.
        return isOfHttp(wire, response) || isPage(wire, response) ? [] : faults
      }
      if (elsewhere.has(response.status) && (response.json === undefined || isError(response))) return []
      // Pages and other routes beside the API.
      if (!wire.target.startsWith('/api/')) return []
      return [`${name} where no operation is: ${response.text.slice(0, 300)}`]
    },
  }
}

/** The path of a target, up to its query or an invalid fragment. A semicolon belongs to the path. */
const pathOf = (target: string): string | undefined => target.split(/[?#]/, 1)[0]

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part)
  } catch {
    return undefined
  }
}

const isError = ({ json, status }: TestResponse): boolean =>
  typeof json.error === 'string' && typeof json.code === 'string' && json.statusCode === status

/** A refused sign-in is a page for browsers. */
const isPage = ({ target, headers }: Wire, { status, headers: { 'content-type': type } }: TestResponse) =>
  target.startsWith('/auth/login') &&
  status >= 400 &&
  headers['accept']?.includes('text/html') === true &&
  type === 'text/html; charset=utf-8'

/** 417 for an unknown `Expect`. */
const isOfHttp = ({ headers }: Wire, { status }: TestResponse): boolean =>
  status === 417 && headers['expect'] !== undefined
