/** `…/files`: files that records refer to; `?hash=` shows one of them. */
import type { VersionFile } from '@ulmus/wire'
import { DataTable } from '../../../components/data-table.tsx'
import { filePath, Thumbnail } from '../../../components/file.tsx'
import { Empty, Name, Pager, ShortHash, Time } from '../../../components/small.tsx'
import { seeVersion, type VisitedCollection, versionOf } from '../../../data/collection.ts'
import { hasThumbnail, isPicture, previewKind } from '../../../data/file-kinds.ts'
import { fileHref, namedFilesMax, namesOfFiles } from '../../../data/files.ts'
import { counted, countText, cutText, shownName, sizeText } from '../../../format.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../../page.ts'
import { apiVersionPath, collectionPath, recordPath, versionPath, withQuery } from '../../../paths.ts'
import { Preview } from './file-preview.tsx'
import { readPreview } from './read-preview.ts'

/** Files per page. */
const pageMax = { list: 100, gallery: namedFilesMax } as const
/** Maximum number of records named that refer to the file. */
const referencesMax = 5

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const query = visit.url.searchParams
  const all = await visit.registry.files.list(seen.who, versionOf(seen))
  const here = versionPath(seen, 'files')
  const hash = query.get('hash') ?? ''
  return {
    title: `Files · ${seen.owner}/${seen.slug}`,
    description: `Files of ${seen.owner}/${seen.slug}.`,
    canonical: here,
    isPublic: seen.isPublic,
    json: apiVersionPath(seen, 'files'),
    body: (
      <CollectionPage seen={seen} tab="files">
        {hash === ''
          ? await allFiles(visit, seen, all)
          : await oneFile(
              visit,
              seen,
              all.filter((file) => file.hash === hash),
            )}
      </CollectionPage>
    ),
  }
}

export const files: Page = { show }

async function oneFile(visit: Visit, seen: VisitedCollection, found: readonly VersionFile[]) {
  const [one] = found
  const names = await namesOfFiles(visit, seen, found)
  const file = one && { ...one, name: names.get(one.hash) }
  const asText = visit.url.searchParams.get('as') === 'text'
  const preview = file && (await readPreview(visit, seen, file, asText))
  return (
    <>
      <p>
        <a href={seen.inView(versionPath(seen, 'files'))}>All files</a>
      </p>
      {file === undefined ? (
        <NoFiles title="This version has no such file." />
      ) : (
        <>
          <Table seen={seen} files={found} names={names} />
          <Preview {...{ file, seen, preview }} />
        </>
      )}
    </>
  )
}

async function allFiles(visit: Visit, seen: VisitedCollection, all: readonly VersionFile[]) {
  if (all.length === 0) return <NoFiles title="This version has no files." />
  const query = visit.url.searchParams
  const here = versionPath(seen, 'files')
  // Members have `view=public` beside it.
  const form = query.getAll('view').includes('gallery') ? 'gallery' : 'list'
  const pictures = all.filter((file) => isPicture({ ...file, name: undefined }))
  const some = form === 'gallery' ? pictures : all
  const from = Math.max(0, Number.parseInt(query.get('from') ?? '0', 10) || 0)
  const most = pageMax[form]
  const rendered = some.slice(from, from + most)
  const names = await namesOfFiles(visit, seen, rendered)
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
        <Gallery seen={seen} files={rendered} names={names} />
      ) : (
        <Table seen={seen} files={rendered} names={names} />
      )}
      <div class="table-foot">
        <span class="quiet">{counted(some.length, form === 'gallery' ? 'picture' : 'file')}</span>
        <Pager
          first={from > most ? at(form) : undefined}
          prev={from > 0 ? at(form, Math.max(0, from - most)) : undefined}
          next={from + most < some.length ? at(form, from + most) : undefined}
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

/** Pictures by their own addresses, loaded when they come into sight. Large ones are names alone. */
const Gallery = ({ seen, files: some, names }: TableProps) => (
  <ul class="gallery">
    {some.map((one) => {
      const file = { ...one, name: names.get(one.hash) }
      return (
        <li key={one.hash}>
          <a href={filePath(seen, one.hash)}>
            {hasThumbnail(file, 'list') ? (
              <img
                src={fileHref(seen, one.hash)}
                alt=""
                loading="lazy"
                decoding="async"
                width="220"
                height="160"
              />
            ) : (
              <span class="quiet">{sizeText(one.size)}, too large for a gallery</span>
            )}
            <bdi>{file.name ?? cutText(one.hash, 15)}</bdi>
          </a>
        </li>
      )
    })}
  </ul>
)

interface TableProps {
  readonly seen: VisitedCollection
  readonly files: readonly VersionFile[]
  /** Names that records give to the files, by hash. */
  readonly names: ReadonlyMap<string, string>
}

const Table = ({ seen, files: some, names }: TableProps) => (
  <DataTable
    class="data"
    label="Files"
    items={some}
    keyOf={({ hash }) => hash}
    columns={[
      { header: 'File', cell: (file) => <File seen={seen} file={file} name={names.get(file.hash)} /> },
      { header: 'Type', cell: ({ contentType }) => <bdi>{contentType}</bdi> },
      { header: 'Size', isNumber: true, cell: ({ size }) => sizeText(size) },
      {
        header: 'Referred to by',
        cell: ({ references }) => <References seen={seen} references={references} />,
      },
      { header: 'Uploaded', cell: ({ createdAt }) => <Time at={createdAt} /> },
    ]}
  />
)

interface FileProps {
  readonly seen: VisitedCollection
  readonly file: VersionFile
  readonly name: string | undefined
}

const File = ({ seen, file, name }: FileProps) => (
  <>
    {hasThumbnail({ ...file, name }, 'list') && <Thumbnail {...{ file, seen }} side={48} />}
    {/* Without a name, the record that refers to it says more than a hash. */}
    {(name !== undefined || file.references.length > 0) && (
      <>
        <bdi>{name ?? referenceText(file.references[0]!)}</bdi>{' '}
      </>
    )}
    {previewKind({ ...file, name }) !== undefined && (
      <>
        <a href={filePath(seen, file.hash)}>Preview</a> ·{' '}
      </>
    )}
    <a href={fileHref(seen, file.hash)} download={name ?? ''}>
      Download
    </a>{' '}
    · <ShortHash hash={file.hash} />
  </>
)

const referenceText = ({ type, id }: VersionFile['references'][number]): string =>
  `file of ${shownName(type)} ${cutText(id, 40)}`

const References = ({ seen, references }: { seen: VisitedCollection } & Pick<VersionFile, 'references'>) => (
  <>
    {references.slice(0, referencesMax).map(({ type, id }, index) => (
      <span key={`${type}/${id}`}>
        {index > 0 && ', '}
        <a href={seen.inView(recordPath(seen, type, id))}>
          <Name of={type} />/<Name of={id} most={40} />
        </a>
      </span>
    ))}
    {references.length > referencesMax && (
      <span class="quiet"> and {references.length - referencesMax} more</span>
    )}
    {references.length === 0 && <span class="quiet">the version itself</span>}
  </>
)
