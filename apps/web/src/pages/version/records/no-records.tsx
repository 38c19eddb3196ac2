/** The records page where there is nothing to list: no type, no record, or none that matches. */
import { RegistryError } from '@ulmus/registry'
import { Empty, Name } from '../../../components/small.tsx'
import type { VisitedCollection } from '../../../data/collection.ts'
import { counted, cutName } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { versionPath } from '../../../paths.ts'
import { noQuery, pathTo, type RecordsAddress } from '../../../record-table/address.ts'
import type { Meant } from './meant.ts'
import type { Question } from './question.tsx'

interface NoRecordsProps {
  readonly address: RecordsAddress
  /** The id that the visitor looks for; empty: none. */
  readonly id: string
  readonly question: Question
  readonly total: number
  /** Filters that the visitor may mean. */
  readonly meant: readonly Meant[]
}

export function NoRecords({ address, question, total, id, meant }: NoRecordsProps) {
  if (id !== '')
    return (
      <p class="note" role="status">
        There is no <Name of={address.type} /> with the id <code>{cutName(id, 200)}</code>.{' '}
        <a href={pathTo(address, noQuery)}>Show all</a>
      </p>
    )
  if (question.state === 'none') return <Empty title="There are no records of this type." />
  return (
    <Empty title={titleOf(question, total)}>
      {meant.map(({ text, change, count }) => (
        <p key={text}>
          Did you mean{' '}
          <a href={pathTo(address, change)} rel="nofollow">
            <Name of={text} most={100} />
          </a>
          ? {count !== undefined && counted(count, 'record')}
        </p>
      ))}
      <p>
        {total > 0 && <a href={pathTo(address)}>Show the first ones</a>}{' '}
        <a href={pathTo(address, noQuery)}>Show all records</a>
      </p>
    </Empty>
  )
}

function titleOf({ state }: Question, total: number): string {
  if (state === 'refused') return 'This question has no answer.'
  return total === 0 ? 'No record matches.' : 'The result has fewer records.'
}

export function noType(seen: VisitedCollection, types: readonly string[], type: string | undefined) {
  return {
    title: `Records · ${seen.owner}/${seen.slug}`,
    refused:
      type === undefined
        ? undefined
        : new RegistryError('type_not_found', { say: { type, types: types.join(', ') } }),
    body: (
      <CollectionPage seen={seen} tab="records">
        <Empty title={type === undefined ? 'This version has no types.' : 'This version has no such type.'}>
          <p>
            {types.map((name) => (
              <a key={name} class="choice" href={seen.inView(versionPath(seen, 'records', name))}>
                <Name of={name} />
              </a>
            ))}
          </p>
        </Empty>
      </CollectionPage>
    ),
  }
}
