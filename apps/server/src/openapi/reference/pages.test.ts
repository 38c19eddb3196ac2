/** The pages of the API reference show everything that the API description says. */
import { operations } from '@ulmus/wire'
import { expect, test } from 'vitest'
import { describeApi } from '../describe.ts'
import type { ApiDescription, DescribedCall } from './description.ts'
import { membersOf } from './members.ts'
import { referencePages } from './pages.ts'

const api = describeApi({ sessionCookie: 'session', version: '1.0.0' }) as ApiDescription
const [index, ...groups] = referencePages(api)
const texts = new Map(groups.map((page) => [page.name, page.markdown()]))

const calls = Object.entries(api.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, call]) => ({ name: `${method.toUpperCase()} ${path}`, call })),
)

/** The part of a group's page about an operation. */
function sectionOf({ tags, summary }: DescribedCall): string {
  const text = texts.get(`api/${tags[0].replaceAll(' ', '-')}`) ?? ''
  return text.split(/^(?=## )/m).find((part) => part.startsWith(`## ${summary}\n`)) ?? ''
}

test.each(calls)('$name: parameters, body, answers, errors, curl', ({ name, call }) => {
  const section = sectionOf(call)
  const written = [
    name,
    call.description,
    'curl ',
    ...(call.parameters ?? []).map((one) => `\`${one.name}\` (${one.in}`),
    ...Object.keys(call.requestBody?.content ?? {}).map((type) => `\`${type}\``),
    ...Object.entries(call.responses).flatMap(([status, { content = {}, 'x-codes': codes = [] }]) =>
      Number(status) < 300
        ? [`### Answer ${status}`, ...Object.keys(content).map((type) => `\`${type}\``)]
        : [`| ${status} |`, ...codes.map((code) => (code === 'moved' ? code : `#${code})`))],
    ),
  ]
  expect(written.filter((part) => !section.includes(part))).toEqual([])
  expect(section).not.toMatch(/undefined|\[object/)
})

test('every operation is on one page, and in the list of all', () => {
  expect(calls).toHaveLength(Object.keys(operations).length)
  const list = index!.markdown()
  for (const { name, call } of calls) {
    expect(list).toContain(`[${call.summary}](`)
    expect(list).toContain(`\`${name}\``)
  }
  const headings = [...texts.values()].join('\n').match(/^## .*$/gm)!
  expect(headings.filter((heading) => heading !== '## Bodies of errors')).toHaveLength(calls.length)
})

test('members are named by their paths, and a model in itself is not repeated', () => {
  const models = {
    Node: {
      description: 'A node.',
      type: 'object',
      required: ['name'],
      properties: {
        name: { type: 'string', maxLength: 5, description: 'One | two' },
        next: { $ref: '#/components/schemas/Node' },
        tags: { type: 'array', items: { type: 'object', properties: { key: { type: ['string', 'null'] } } } },
        counts: { type: 'object', additionalProperties: { type: 'integer', minimum: 0 } },
      },
    },
  }
  expect(membersOf({ $ref: '#/components/schemas/Node' }, models).split('\n').slice(2)).toEqual([
    '| `name` | string, at most 5 characters | One \\| two |',
    '| `next` (optional) | object | A node. |',
    '| `tags` (optional) | array of object |  |',
    '| `tags[].key` (optional) | string or null |  |',
    '| `counts` (optional) | object of integer, at least 0 |  |',
  ])
})
