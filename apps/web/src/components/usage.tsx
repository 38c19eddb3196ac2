/** Storage of an account, on its settings page. */
import type { AccountUsage } from '@ulmus/wire'
import { sizeText } from '../format.ts'
import { accountPath } from '../paths.ts'
import { DataTable } from './data-table.tsx'

/** Maximum number of collections listed. */
const listedMax = 10

export function Storage({ owner, usage }: { owner: string; usage: AccountUsage }) {
  const { usedBytes, receivedBytes, organizationBytes, quotaBytes, countsAgainst, collections } = usage
  const used = usedBytes + receivedBytes + organizationBytes
  const isOver = quotaBytes !== null && used >= quotaBytes
  return (
    <>
      <h2 id="storage">Storage</h2>
      <p>
        {sizeText(used)}
        {quotaBytes === null ? ' stored' : ` of ${sizeText(quotaBytes)} used`}
        {receivedBytes > 0 && `, ${sizeText(receivedBytes)} of it in pushes under way`}
        {organizationBytes > 0 && `, ${sizeText(organizationBytes)} of it by organizations that you made`}.
      </p>
      {countsAgainst !== null && (
        <p>
          It counts against the quota of{' '}
          <a href={accountPath(countsAgainst)}>
            <bdi>{countsAgainst}</bdi>
          </a>
          , who made the organization, until an operator gives the organization one of its own.
        </p>
      )}
      {quotaBytes !== null && (
        <meter
          aria-labelledby="storage"
          min={0}
          max={Math.max(1, quotaBytes)}
          value={used}
          high={0.9 * quotaBytes}
        />
      )}
      {isOver && (
        <p class="note bad">
          Nothing more can be published. Delete a collection, withdraw and erase a version, or ask the
          operator for a larger quota.
        </p>
      )}
      {collections.length > 0 && (
        <DataTable
          class="data"
          caption="What takes most"
          items={collections.slice(0, listedMax)}
          keyOf={({ slug }) => slug}
          columns={[
            {
              header: 'Collection',
              cell: ({ slug }) => <a href={`${accountPath(owner)}/${slug}`}>{slug}</a>,
            },
            { header: 'Takes', isNumber: true, cell: ({ usedBytes }) => sizeText(usedBytes) },
          ]}
        />
      )}
    </>
  )
}
