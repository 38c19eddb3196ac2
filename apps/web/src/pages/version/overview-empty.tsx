/** First steps on the overview of a collection without versions. */
import { Code, Empty } from '../../components/small.tsx'
import type { VisitedCollection } from '../../data/collection.ts'
import { collectionPath } from '../../paths.ts'

export const NoVersion = ({ seen, origin }: { seen: VisitedCollection; origin: string }) => (
  <Empty title="This collection has no version yet.">
    {seen.may('write') && (
      <>
        <p>
          <a class="button primary" href={collectionPath(seen, 'push')}>
            Publish from a file
          </a>{' '}
          <a class="button" href={collectionPath(seen, 'schemas', 'new')}>
            Define a type
          </a>
        </p>
        <p>
          Or from a program: create an <a href="/settings/keys">API key</a> with the scope <code>write</code>,
          and publish records. <a href="/docs/pushing">Push with the API</a> shows every step.
        </p>
        <Code>{firstPush(seen, origin)}</Code>
      </>
    )}
  </Empty>
)

const firstPush = ({ owner, slug }: VisitedCollection, origin: string): string => `export ULMUS_TOKEN=ul_…
export ULMUS_HOST=${origin}
SESSION=$(curl -s -H "Authorization: Bearer $ULMUS_TOKEN" -H 'Content-Type: application/json' $ULMUS_HOST/api/collections/${owner}/${slug}/pushes -d '{
  "base_version": null,
  "schemas": {"City": {"type": "object", "properties": {"name": {"type": "string"}}}}
}' | sed 's/.*"session_id":"\\([^"]*\\)".*/\\1/')
curl -s -H "Authorization: Bearer $ULMUS_TOKEN" -H 'Content-Type: application/x-ndjson' $ULMUS_HOST/api/collections/${owner}/${slug}/pushes/$SESSION/records \\
  -d '{"id": "oslo", "type": "City", "data": {"name": "Oslo"}}'
curl -s -X POST -H "Authorization: Bearer $ULMUS_TOKEN" $ULMUS_HOST/api/collections/${owner}/${slug}/pushes/$SESSION/commit`
