/** An operation of the API in Markdown: parameters, an example with curl, body, answers and errors. */
import { curlOf } from './curl.ts'
import type { ApiDescription, Content, DescribedCall, Parameter, Response } from './description.ts'
import { codeOf, exampleOf, tableOf } from './markdown.ts'
import { membersOf, typeOf } from './members.ts'

export function operationMarkdown(
  method: string,
  path: string,
  call: DescribedCall,
  api: ApiDescription,
): string {
  const answers = Object.entries(call.responses)
  return [
    `## ${call.summary}`,
    codeOf('http', `${method} ${path}`),
    call.description,
    credentialOf(call.security),
    ...parametersOf(call.parameters ?? [], api),
    '### Example',
    codeOf('sh', curlOf(method, path, call)),
    ...bodyOf(call, api),
    ...answers.flatMap(([status, answer]) => answerOf(status, answer, api)),
    ...errorsOf(call, api),
  ]
    .filter((part) => part !== '')
    .join('\n\n')
}

function credentialOf(security: readonly object[]): string {
  if (security.length === 0) return 'Credentials are ignored.'
  return security.some((way) => Object.keys(way).length === 0)
    ? 'A credential is optional.'
    : 'A credential is required: an API key, or the session of a browser.'
}

function parametersOf(parameters: readonly Parameter[], { components }: ApiDescription): string[] {
  if (parameters.length === 0) return []
  const rows = parameters.map((one) => [
    `\`${one.name}\` (${one.in}${one.required ? '' : ', optional'})`,
    typeOf(one.schema, components.schemas),
    `${one.description} Example: \`${String(one.example ?? one.examples?.usual.value)}\``,
  ])
  return ['### Parameters', tableOf(['Name', 'Type', 'Description'], rows)]
}

function bodyOf({ requestBody }: DescribedCall, api: ApiDescription): string[] {
  if (requestBody === undefined) return []
  return [
    requestBody.required ? '### Body' : '### Body (optional)',
    ...contentOf(requestBody.content, api, { hasExample: false }),
  ]
}

function answerOf(status: string, answer: Response, api: ApiDescription): string[] {
  if (Number(status) >= 300) return []
  const headers = Object.entries(answer.headers ?? {})
  return [
    `### Answer ${status}`,
    answer.description,
    tableOf(
      ['Header', 'Description'],
      headers.map(([name, { description = '' }]) => [`\`${name}\``, description]),
    ),
    ...contentOf(answer.content ?? {}, api, { hasExample: true }),
  ]
}

/** Members and an example of each content type. The example of a body is already in the curl command. */
function contentOf(
  content: Content,
  { components }: ApiDescription,
  { hasExample }: { hasExample: boolean },
): string[] {
  return Object.entries(content).flatMap(([type, { schema, example }]) => {
    const line = schema.contentSchema
    const isShown = hasExample && example !== undefined && schema.format !== 'binary'
    return [
      line === undefined ? `\`${type}\`` : `\`${type}\`, each line:`,
      membersOf(line ?? schema, components.schemas),
      isShown ? exampleOf(example) : '',
    ]
  })
}

/** Codes of the errors of an operation, in the order of their statuses. */
const codesOf = ({ responses }: DescribedCall): string[] =>
  Object.entries(responses).flatMap(([status, { 'x-codes': codes = [] }]) =>
    Number(status) < 400 ? [] : codes,
  )

function errorsOf({ responses }: DescribedCall, { components }: ApiDescription): string[] {
  const rows = Object.entries(responses).flatMap(([status, { description, 'x-codes': codes }]) => {
    if (Number(status) < 300) return []
    if (Number(status) < 400 || codes === undefined) return [[status, '', description]]
    return codes.map((code) => [
      status,
      `[\`${code}\`](/docs/errors#${code})`,
      components.examples[code]!.summary,
    ])
  })
  return ['### Other answers', tableOf(['Status', 'Code', 'Meaning'], rows)]
}

/** Bodies of the errors of several operations, each once. */
export function errorBodies(calls: readonly DescribedCall[], { components }: ApiDescription): string {
  const codes = new Set(calls.flatMap(codesOf))
  const bodies = [...codes].sort().map((code) => JSON.stringify(components.examples[code]!.value))
  return ['## Bodies of errors', codeOf('json', bodies.join('\n'))].join('\n\n')
}
