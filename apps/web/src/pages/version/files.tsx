/** `…/files`: files that records refer to; `?hash=` shows one of them. */
import type { VersionFile } from '@ulmus/wire'
import { DataTable } from '../../components/data-table.tsx'
import { Preview } from '../../components/file.tsx'
import { Empty, Name, ShortHash, Time } from '../../components/small.tsx'
import { seeVersion, type VisitedCollection, versionOf } from '../../data/collection.ts'
import { fileHref, hasThumbnail, namesOfFiles, previewKind, readText } from '../../data/files.ts'
import { counted, sizeText } from '../../format.ts'
import { CollectionPage } from '../../layout/collection.tsx'
import { type Page, Redirect, type Visit } from '../../page.ts'
import { apiVersionPath, collectionPath, recordPath, versionPath, withQuery } from '../../paths.ts'
import { readFileShapes } from './file-shapes.ts'

/** Files per page. */
const filesAPage = 100
/** Maximum number of records named that refer to the file. */
const referencesMax = 5

const show = async (visit: Visit) => {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const all = await visit.registry.files.list(seen.who, versionOf(seen))
  const hash = visit.url.searchParams.get('hash') ?? ''
  const matching = hash === '' ? all : all.filter((file) => file.hash === hash)
  const from = Math.max(0, Number.parseInt(visit.url.searchParams.get('from') ?? '0', 10) || 0)
  const here = versionPath(seen, 'files')
  const [one] = hash === '' ? [] : matching
  const rendered = matching.slice(from, from + filesAPage)
  const names = await namesOfFiles(visit, seen, rendered)
  const file = one && { ...one, name: names.get(one.hash) }
  const text = file && previewKind(file) === 'text' ? await readText(visit, seen, hash) : undefined
  const shapes = file && text && (await readFileShapes(visit, seen, file, text.text))
  return {
    title: `Files · ${seen.owner}/${seen.slug}`,
    description: `Files of ${seen.owner}/${seen.slug}.`,
    canonical: here,
    isPublic: seen.isPublic,
    json: apiVersionPath(seen, 'files'),
    body: (
      <CollectionPage seen={seen} tab="files">
        {hash !== '' && (
          <p>
            <a href={seen.inView(here)}>All files</a>
          </p>
        )}
        {matching.length === 0 ? (
          <Empty title={hash === '' ? 'This version has no files.' : 'This version has no such file.'}>
            <p>
              Records refer to files by their hash, <code>{'{"$file": "sha256:…"}'}</code>.{' '}
              <a href="/docs/pushing#files">Push with the API</a> shows how to upload them.
            </p>
          </Empty>
        ) : (
          <Table seen={seen} files={rendered} names={names} />
        )}
        {hash === '' && matching.length > 0 && (
          <Pager
            of={matching.length}
            from={from}
            at={(place) => seen.inView(withQuery(here, { from: place || undefined }))}
          />
        )}
        {file !== undefined && <Preview {...{ file, seen, text, shapes }} />}
      </CollectionPage>
    ),
  }
}

export const files: Page = { show }

const Pager = ({ of, from, at }: { of: number; from: number; at: (place: number) => string }) => (
  <p class="table-foot">
    <span class="quiet">{counted(of, 'file')}</span>
    <span class="pager">
      {from > 0 && <a href={at(Math.max(0, from - filesAPage))}>← Previous</a>}
      {from + filesAPage < of && <a href={at(from + filesAPage)}>Next →</a>}
    </span>
  </p>
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
    {hasThumbnail(file) && (
      <img class="thumbnail" src={fileHref(seen, file.hash)} alt="" loading="lazy" width="48" height="48" />
    )}
    {name !== undefined && (
      <>
        <bdi>{name}</bdi>{' '}
      </>
    )}
    <ShortHash hash={file.hash} />{' '}
    {previewKind(file) !== undefined && (
      <>
        <a href={seen.inView(withQuery(versionPath(seen, 'files'), { hash: file.hash }))}>Preview</a> ·{' '}
      </>
    )}
    <a href={fileHref(seen, file.hash)} download={name ?? ''}>
      Download
    </a>
  </>
)

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
