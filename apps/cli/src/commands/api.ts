import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UlmusError } from '@ulmus/client'
import { command, noun } from '../command.ts'
import type { Call } from '../context.ts'
import { flag, required, text } from '../parameters.ts'
import { exitCodes } from '../terminal/exit-codes.ts'
import { failureOf, usageError } from '../terminal/failure.ts'

type ApiFlags = {
  readonly data?: string
  readonly type: string
  readonly include: boolean
}

/** `ulmus api METHOD PATH`: calls any operation of the API with the credential. */
const api = command<ApiFlags, [method: string, path: string]>({
  brief: 'Call the API',
  page: 'Call the [API](/docs/api): `-d`, `--data` takes a text, `@file` or `-`; `--type` sets its content type; `-i`, `--include` shows status and headers',
  flags: {
    data: text('body', 'Request body: text, @file, or - for standard input'),
    type: {
      kind: 'parsed',
      parse: String,
      default: 'application/json',
      placeholder: 'type',
      brief: 'Content type of the body',
    },
    include: flag('Print status and headers on standard error'),
  },
  aliases: { d: 'data', i: 'include' },
  positional: {
    kind: 'tuple',
    parameters: [
      required('method', 'HTTP method, such as GET'),
      required('path', 'Path, such as /api/collections'),
    ],
  },
  run: async (call, flags, method, path) => {
    const { host, key, fetch } = await call.connect()
    const url = addressOf(host, path)
    const body = flags.data === undefined ? undefined : await bodyOf(call, flags.data)
    const response = await fetch(url, {
      method: method.toUpperCase(),
      headers: {
        ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': flags.type }),
      },
      body,
      signal: call.signal,
      // Do not follow redirects: they could send the key to another server.
      redirect: 'manual',
    })
    if (flags.include) {
      call.warn(`${response.status} ${response.statusText}`)
      for (const [name, value] of response.headers) call.warn(`${name}: ${value}`)
    }
    for await (const chunk of response.body ?? []) await call.terminal.write(chunk as Uint8Array)
    if (response.ok) return
    const refusal = new UlmusError(`The registry answered ${response.status}.`, {
      status: response.status,
      code: `http_${response.status}`,
    })
    call.terminal.fail(response.status < 400 ? exitCodes.failed : failureOf(refusal).exitCode)
  },
})

/** @throws CommandError (usage) for an address on another registry */
function addressOf(host: string, path: string): string {
  const isWhole = /^[a-z]+:\/\//i.test(path)
  const rooted = path.startsWith('/') ? path : `/${path}`
  const url = new URL(
    isWhole
      ? path
      : /^\/(?:api|auth|healthz|readyz|metrics)(?:[/?]|$)/.test(rooted)
        ? rooted
        : `/api${rooted}`,
    host,
  )
  if (url.origin !== host)
    throw usageError(
      `${url.href} is not on the registry ${host}. To call another registry, use --host ${url.origin}.`,
    )
  return url.href
}

/** Reads the value of `--data`: a text, `@file`, or `-` for standard input. */
async function bodyOf({ terminal }: Call, data: string): Promise<string | Uint8Array<ArrayBuffer>> {
  if (data.startsWith('@')) return new Uint8Array(readFileSync(resolve(terminal.cwd, data.slice(1))))
  if (data !== '-') return data
  const chunks: Uint8Array[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Uint8Array)
  return new Uint8Array(Buffer.concat(chunks))
}

export default noun({
  section: 'Accounts, organizations, keys',
  words: {
    api: { command: api, group: 'Manage', place: 150, line: ['api METHOD PATH', 'call the API'] },
  },
})
