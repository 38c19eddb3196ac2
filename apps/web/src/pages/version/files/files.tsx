/** `…/files`: files that records refer to; `?hash=` shows one of them. */
import { compareUtf8 } from '@ulmus/content'
import type { VersionFile } from '@ulmus/wire'
import { Empty, Pager } from '../../../components/small.tsx'
import {
  seeVersion,
  type VersionResponse,
  type VisitedCollection,
  versionOf,
} from '../../../data/collection.ts'
import { isPicture } from '../../../data/file-kinds.ts'
import { labelsOfFiles, namedFilesMax } from '../../../data/files.ts'
import { counted, countText } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Page, Plain, Redirect, type Visit } from '../../../page.ts'
import { apiVersionPath, collectionPath, versionPath, withQuery } from '../../../paths.ts'
import { FileHead, FileTable, Gallery } from './file-lists.tsx'
import { Preview } from './file-preview.tsx'
import { hasOutline, readOutline } from './file-shapes.ts'
import { readPreview } from './read-preview.ts'

/** Files per page. */
const pageMax = namedFilesMax

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const query = visit.url.searchParams
  const all = await visit.registry.files.list(seen.who, versionOf(seen))
  const here = versionPath(seen, 'files')
  const hash = query.get('hash') ?? ''
  const listed = { seen, version, all }
  const shown = hash === '' ? await allFiles(visit, listed) : await oneFile(visit, listed, hash)
  if (shown instanceof Plain) return shown
  return {
    title: `Files · ${seen.owner}/${seen.slug}`,
    description: `Files of ${seen.owner}/${seen.slug}.`,
    canonical: here,
    isPublic: seen.isPublic,
    json: apiVersionPath(seen, 'files'),
    body: (
      <CollectionPage seen={seen} tab="files">
        {shown}
      </CollectionPage>
    ),
  }
}

export const files: Page = { show }

interface VersionFiles {
  readonly seen: VisitedCollection
  readonly version: VersionResponse
  readonly all: readonly VersionFile[]
}

async function oneFile(visit: Visit, { seen, version, all }: VersionFiles, hash: string) {
  const found = all.filter((file) => file.hash === hash)
  const labels = await labelsOfFiles(visit, seen, version, found)
  const [file] = found.map((one) => ({ ...one, name: labels.get(hash)?.name }))
  const as = visit.url.searchParams.get('as')
  if (as === 'outline' && file !== undefined && hasOutline(file))
    return new Plain('image/svg+xml', await readOutline(visit, seen, file))
  const preview = file && (await readPreview(visit, seen, file, as === 'text'))
  return (
    <>
      <nav class="crumbs" aria-label="Where this is">
        <a href={seen.inView(versionPath(seen, 'files'))}>All files</a>
      </nav>
      {file === undefined ? (
        <NoFiles title="This version has no such file." />
      ) : (
        <>
          <FileHead seen={seen} file={file} {...labels.get(hash)} />
          <Preview {...{ file, seen, preview }} />
        </>
      )}
    </>
  )
}

/** Longer lists stay in the order of hashes. */
const sortedMax = 20_000

/** In the order of the records that refer to them; those of no record last. */
function inOrder(all: readonly VersionFile[]): readonly VersionFile[] {
  if (all.length > sortedMax) return all
  return all.toSorted(({ references: [one] }, { references: [other] }) => {
    if (one === undefined || other === undefined)
      return Number(one === undefined) - Number(other === undefined)
    return compareUtf8(one.type, other.type) || compareUtf8(one.id, other.id)
  })
}

async function allFiles(visit: Visit, { seen, version, all }: VersionFiles) {
  if (all.length === 0) return <NoFiles title="This version has no files." />
  const query = visit.url.searchParams
  const here = versionPath(seen, 'files')
  // Members have `view=public` beside it.
  const form = query.getAll('view').includes('gallery') ? 'gallery' : 'list'
  const sorted = inOrder(all)
  const pictures = sorted.filter((file) => isPicture({ ...file, name: undefined }))
  const some = form === 'gallery' ? pictures : sorted
  const from = Math.max(0, Number.parseInt(query.get('from') ?? '0', 10) || 0)
  const rendered = some.slice(from, from + pageMax)
  const labels = await labelsOfFiles(visit, seen, version, rendered)
  const at = (of: 'list' | 'gallery', place = 0) =>
    seen.inView(
      withQuery(here, { view: of === 'gallery' ? of : undefined, from: place === 0 ? undefined : place }),
    )
  return (
    <>
      {pictures.length > 0 && (
        <nav class="choices file-forms" aria-label="Form">
          {(['list', 'gallery'] as const).map((one) => (
            <a key={one} class="choice" href={at(one)} aria-current={one === form ? 'true' : undefined}>
              {one === 'list' ? 'List' : 'Gallery'}{' '}
              <span class="quiet number">{countText(one === 'list' ? all.length : pictures.length)}</span>
            </a>
          ))}
        </nav>
      )}
      {form === 'gallery' ? (
        <Gallery seen={seen} files={rendered} labels={labels} />
      ) : (
        <FileTable seen={seen} files={rendered} labels={labels} />
      )}
      <div class="table-foot">
        <span class="quiet">{counted(some.length, form === 'gallery' ? 'picture' : 'file')}</span>
        <Pager
          first={from > pageMax ? at(form) : undefined}
          prev={from > 0 ? at(form, Math.max(0, from - pageMax)) : undefined}
          next={from + pageMax < some.length ? at(form, from + pageMax) : undefined}
        />
      </div>
    </>
  )
}

const NoFiles = ({ title }: { title: string }) => (
  <Empty title={title}>
    <p>
      Records refer to files by their hash, <code>{'{"$file": "sha256:…"}'}</code>.{' '}
      <a href="/docs/pushing#files">Push with the API</a> shows how to upload them.
    </p>
  </Empty>
)
