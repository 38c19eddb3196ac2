/** Storage of an account, on its settings page. */
import type { AccountUsage } from '@ulmus/wire'
import { bytesText } from '../format.ts'
import { accountPath } from '../paths.ts'

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
        {bytesText(used)}
        {quotaBytes === null ? ' stored' : ` of ${bytesText(quotaBytes)} used`}
        {receivedBytes > 0 && `, ${bytesText(receivedBytes)} of it in pushes under way`}
        {organizationBytes > 0 && `, ${bytesText(organizationBytes)} of it by organizations that you made`}.
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
        <div class="table-scroll">
          <table class="data">
            <caption class="sr-only">What takes most</caption>
            <thead>
              <tr>
                <th scope="col">Collection</th>
                <th scope="col" class="right">
                  Takes
                </th>
              </tr>
            </thead>
            <tbody>
              {collections.slice(0, listedMax).map(({ slug, usedBytes }) => (
                <tr key={slug}>
                  <th scope="row">
                    <a href={`${accountPath(owner)}/${slug}`}>{slug}</a>
                  </th>
                  <td class="right number">{bytesText(usedBytes)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </>
  )
}
