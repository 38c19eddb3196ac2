/** Queries of saved questions: the query of a URL in parts. */
import type { QueryText } from '@ulmus/content'
import { RegistryError } from '../errors/errors.ts'
import { type Measure, measures } from '../tables/charts/group-sql.ts'

/** Parts of a query, and the fields of its chart or map. */
export interface QuestionParts {
  readonly text: QueryText
  /** Of a chart, fields as in filters: along the axis, what is measured of which field, and the series. */
  readonly x: string | undefined
  readonly measure: Measure
  readonly of: string | undefined
  readonly by: string | undefined
  /** Of a map. */
  readonly coordinates: string | undefined
}

/** The fields of a chart or map. */
export const fieldsOf = ({ x, of, by, coordinates }: QuestionParts): string[] =>
  [x, of, by, coordinates].filter((field) => field !== undefined)

const known = ['q', 'filter', 'sort', 'columns', 'x', 'y', 'by', 'coordinates'] as const

/** @throws invalid_request */
export function readParts(query: string): QuestionParts {
  const parameters = new URLSearchParams(query)
  const unknown = [...parameters.keys()].find((name) => !(known as readonly string[]).includes(name))
  if (unknown !== undefined)
    throw refused(`The query has no parameter ${JSON.stringify(unknown)}: use ${known.join(', ')}.`)
  const one = (name: string) => parameters.get(name)?.trim() || undefined
  const columns = parameters.getAll('columns').join()
  const y = one('y') ?? 'count'
  const [, measure = y, of] = /^(\w+):(.*)$/s.exec(y) ?? []
  if (!Object.hasOwn(measures, measure) || (measure === 'count') !== (of === undefined))
    throw refused(`y is count, or ${Object.keys(measures).slice(1).join(', ')} with a field: sum:population.`)
  return {
    text: {
      q: one('q'),
      filter: parameters.getAll('filter').filter((filter) => filter.trim() !== ''),
      sort: one('sort'),
      columns: columns === '' ? undefined : columns,
    },
    ...{ x: one('x'), measure: measure as Measure, of, by: one('by'), coordinates: one('coordinates') },
  }
}

const refused = (message: string): RegistryError =>
  new RegistryError('invalid_request', {
    say: { reason: message },
    details: { issues: [{ path: 'query', message }] },
  })
