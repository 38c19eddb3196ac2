/** The curl command that sends the examples of an operation. */
import type { Content, DescribedCall, Parameter } from './description.ts'

export function curlOf(method: string, path: string, call: DescribedCall): string {
  const { parameters = [], security, requestBody } = call
  const queries = parameters.filter((one) => one.in === 'query' && one.required)
  const query = queries.map((one) => `${one.name}=${encodeURIComponent(exampleOf(one))}`).join('&')
  const address = `$ULMUS_HOST${filled(path, parameters)}${query === '' ? '' : `?${query}`}`
  const needsCredential = security.length > 0 && !security.some((way) => Object.keys(way).length === 0)
  return [
    `curl ${method === 'GET' ? '' : `-X ${method} `}"${address}"`,
    ...(needsCredential ? ['-H "Authorization: Bearer $ULMUS_TOKEN"'] : []),
    ...(requestBody === undefined ? [] : bodyOf(requestBody.content)),
    ...(isBinary(call) ? ['-O'] : []),
  ].join(' \\\n  ')
}

const exampleOf = ({ example, examples }: Parameter): string => String(example ?? examples?.usual.value)

const filled = (path: string, parameters: readonly Parameter[]): string =>
  path.replace(/\{(\w+)\}/g, (whole, name: string) => {
    const parameter = parameters.find((one) => one.in === 'path' && one.name === name)
    return parameter === undefined ? whole : encodeURIComponent(exampleOf(parameter))
  })

function bodyOf(content: Content): string[] {
  const [[type, { example }] = ['', { example: undefined }]] = Object.entries(content)
  if (type === 'application/x-www-form-urlencoded')
    return Object.entries(example as object).map(
      ([name, value]) => `--data-urlencode ${quoted(`${name}=${value}`)}`,
    )
  const text = typeof example === 'string' ? example : JSON.stringify(example)
  return [`-H 'Content-Type: ${type}'`, `--data-binary ${quoted(text)}`]
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`

/** True for answers that a terminal cannot show. */
const isBinary = ({ responses }: DescribedCall): boolean =>
  Object.keys(responses['200']?.content ?? {}).some((type) => /gzip|parquet|\*/.test(type))
