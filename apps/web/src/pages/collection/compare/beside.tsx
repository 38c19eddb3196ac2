/** Differences beside the records: totals, schemas, metadata and files. */
import type { Version } from '@ulmus/wire'
import { Empty, Words } from '../../../components/small.tsx'
import { memberChanges } from '../../../data/changes.ts'
import type { VisitedCollection } from '../../../data/collection.ts'
import { counted, countText, shownName } from '../../../format.ts'
import { Changes } from './changes.tsx'
import type { DiffAnswer } from './records.ts'

interface BesideProps {
  seen: VisitedCollection
  before: Version
  after: Version
  page: DiffAnswer
}

/** The kind of the change, totals of records, and schemas. */
export function Level({ page }: Pick<BesideProps, 'page'>) {
  const { totals, schemaChanges = [], level, reason } = page.meta
  return (
    <>
      {level === 'none' ? (
        <Empty title={reason!} />
      ) : (
        <p class="quiet">
          A {level} change: {`${reason!.charAt(0).toLowerCase()}${reason!.slice(1)}`}
        </p>
      )}
      <p class="totals">
        {totals === null && 'More than 100,000 records differ.'}
        {totals && (
          <>
            <span class={totals.added > 0 ? 'added' : 'quiet'}>{counted(totals.added, 'record')} added</span>
            <span class={totals.updated > 0 ? 'updated' : 'quiet'}>{countText(totals.updated)} updated</span>
            <span class={totals.removed > 0 ? 'removed' : 'quiet'}>{countText(totals.removed)} removed</span>
          </>
        )}
      </p>
      {schemaChanges.length > 0 && (
        <section>
          <h3>Schemas</h3>
          <ul class="sentences">
            {schemaChanges.flatMap(({ type, changes }) =>
              changes.map((change) => (
                <li key={`${type} ${change}`}>
                  <strong>{shownName(type)}</strong>: <Words text={change} />
                </li>
              )),
            )}
          </ul>
        </section>
      )}
    </>
  )
}

/** Metadata and files, below the records that most visitors look for. */
export function Beside({ seen, before, after, page }: BesideProps) {
  const metadata = page.meta.metadataChanged ? memberChanges(before.metadata, after.metadata) : []
  const { filesAdded = [], filesRemoved = [] } = page.meta
  return (
    <>
      {metadata.length > 0 && (
        <section>
          <h3>Metadata</h3>
          <Changes seen={seen} changes={metadata} />
        </section>
      )}
      {filesAdded.length + filesRemoved.length > 0 && (
        <section>
          <h3>Files</h3>
          <p>
            <span class={filesAdded.length > 0 ? 'added' : 'quiet'}>
              {counted(filesAdded.length, 'file')} added
            </span>
            ,{' '}
            <span class={filesRemoved.length > 0 ? 'removed' : 'quiet'}>
              {counted(filesRemoved.length, 'file')} removed
            </span>
          </p>
        </section>
      )}
    </>
  )
}
