/** `…/questions`: the saved questions of a collection. */
import type { SavedQuestion } from '@ulmus/wire'
import { DataTable } from '../../../components/data-table.tsx'
import { Empty, Name, Time } from '../../../components/small.tsx'
import { seeCollection, type VisitedCollection } from '../../../data/collection.ts'
import { questionPath } from '../../../data/questions.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import type { Page } from '../../../page.ts'
import { apiCollectionPath, collectionPath, versionPath } from '../../../paths.ts'

const forms: Readonly<Record<SavedQuestion['view'], string>> = { table: 'Table', chart: 'Chart', map: 'Map' }

export const questions: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const saved = await visit.registry.questions.list(seen.who, seen)
    return {
      title: `Questions · ${seen.owner}/${seen.slug}`,
      description: `Saved questions about ${seen.owner}/${seen.slug}.`,
      canonical: collectionPath(seen, 'questions'),
      isPublic: seen.isPublic,
      json: apiCollectionPath(seen, 'questions'),
      body: (
        <CollectionPage seen={seen} tab="questions">
          {saved.length === 0 ? <None seen={seen} /> : <List seen={seen} saved={saved} />}
        </CollectionPage>
      ),
    }
  },
}

const None = ({ seen }: { seen: VisitedCollection }) => (
  <Empty title="No question is saved.">
    <p>
      A saved question is a search, a chart, a map or a statement in SQL with a name. Its page shows the
      answer.
    </p>
    {seen.latest !== null && <WaysOn seen={seen} />}
  </Empty>
)

const WaysOn = ({ seen }: { seen: VisitedCollection }) =>
  seen.may('describe') ? (
    <p>
      Ask one on the page <a href={seen.inView(versionPath(seen, 'records'))}>Records</a> or{' '}
      <a href={seen.inView(versionPath(seen, 'sql'))}>SQL</a>, then choose <strong>Save</strong>.
    </p>
  ) : (
    <p>
      Search, filter and draw the data on the page{' '}
      <a href={seen.inView(versionPath(seen, 'records'))}>Records</a>.
    </p>
  )

const List = ({ seen, saved }: { seen: VisitedCollection; saved: readonly SavedQuestion[] }) => (
  <DataTable
    class="data questions"
    label="Saved questions"
    items={saved}
    keyOf={({ slug }) => slug}
    columns={[
      {
        header: 'Question',
        dir: 'auto',
        cell: (one) => (
          <a href={seen.inView(questionPath(seen, one))}>
            <Name of={one.name} most={200} />
          </a>
        ),
      },
      { header: 'About', cell: ({ type }) => (type === null ? 'SQL' : <Name of={type} most={60} />) },
      { header: 'Form', cell: ({ view }) => forms[view] },
      { header: 'Version', cell: ({ version }) => version },
      {
        header: 'Same answer since',
        cell: ({ since, version }) => (version === 'latest' ? (since ?? '…') : version),
      },
      ...(seen.readsAll && seen.view === 'full'
        ? [
            {
              header: 'Readers',
              cell: ({ public: isPublic }: SavedQuestion) =>
                isPublic ? (seen.isPublic ? 'everyone' : 'all readers') : 'members and collaborators',
            },
          ]
        : []),
      { header: 'Changed', cell: ({ updatedAt }) => <Time at={updatedAt} /> },
    ]}
  />
)
