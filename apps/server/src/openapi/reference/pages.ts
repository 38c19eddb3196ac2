/** The API reference as Markdown documents: a list of all operations, and one document for each group. Made from the API description. */
import type { ReferencePage } from '@ulmus/web'
import type { ApiDescription, DescribedCall } from './description.ts'
import { tableOf } from './markdown.ts'
import { errorBodies, operationMarkdown } from './operation.ts'

interface Call {
  readonly method: string
  readonly path: string
  readonly described: DescribedCall
}

interface Group {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly calls: readonly Call[]
}

export function referencePages(api: ApiDescription): ReferencePage[] {
  const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ method: method.toUpperCase(), path, described })),
  )
  const groups = api.tags.map(
    ({ name, description }): Group => ({
      name: `api/${name.replaceAll(' ', '-')}`,
      title: `${name.slice(0, 1).toUpperCase()}${name.slice(1)}`,
      description,
      calls: calls.filter(({ described }) => described.tags[0] === name),
    }),
  )
  const index = [
    '# API reference',
    api.info.description,
    '**Examples** use the address of the registry in `$ULMUS_HOST` and an [API key](/settings/keys) in `$ULMUS_TOKEN`. Programs read all of this at [/api/openapi.json](/api/openapi.json) (OpenAPI 3.1), or as Markdown: add `.md` to the address of a group.',
    ...groups.flatMap((group) => [
      `## ${group.title}`,
      group.description.split('\n\n', 1)[0]!,
      listOf(group),
    ]),
  ]
  return [
    { name: 'api', title: 'API reference', markdown: () => index.join('\n\n') },
    ...groups.map((group) => ({
      ...{ name: group.name, title: group.title },
      markdown: () => groupMarkdown(group, api),
    })),
  ]
}

const groupMarkdown = ({ title, description, calls }: Group, api: ApiDescription): string =>
  [
    `# ${title}`,
    description,
    ...calls.map(({ method, path, described }) => operationMarkdown(method, path, described, api)),
    errorBodies(
      calls.map(({ described }) => described),
      api,
    ),
  ].join('\n\n')

const listOf = ({ name, calls }: Group): string =>
  tableOf(
    ['Operation', 'Call'],
    calls.map(({ method, path, described: { summary } }) => [
      `[${summary}](/docs/${name}#${anchorOf(summary)})`,
      `\`${method} ${path}\``,
    ]),
  )

/** Id that the renderer gives the heading of an operation. */
const anchorOf = (summary: string): string =>
  summary
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
