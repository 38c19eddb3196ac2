/** Files of a version: their list, a gallery of the pictures, and the facts of one. */
import type { VersionFile } from '@ulmus/wire'
import { DataTable } from '../../../components/data-table.tsx'
import { filePath, Thumbnail } from '../../../components/file.tsx'
import { Name, ShortHash, Time } from '../../../components/small.tsx'
import type { VisitedCollection } from '../../../data/collection.ts'
import { hasThumbnail, kindText } from '../../../data/file-kinds.ts'
import { type FileLabels, fileHref } from '../../../data/files.ts'
import { cutText, sizeText } from '../../../format.ts'
import { recordPath, withQuery } from '../../../paths.ts'
import { hasOutline } from './file-shapes.ts'

/** Maximum number of records named that refer to the file. */
const referencesMax = 5

interface ListProps {
  readonly seen: VisitedCollection
  readonly files: readonly VersionFile[]
  /** By hash. */
  readonly labels: ReadonlyMap<string, FileLabels>
}

/** Pictures by their own addresses, loaded when they come into sight. Large ones are names alone. */
export const Gallery = ({ seen, files, labels }: ListProps) => (
  <ul class="gallery">
    {files.map((one) => {
      const { name, label } = labels.get(one.hash) ?? unlabelled
      return (
        <li key={one.hash}>
          <a href={filePath(seen, one.hash)}>
            {hasThumbnail({ ...one, name }, 'list') ? (
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
            <bdi>{label ?? cutText(one.hash, 15)}</bdi>
          </a>
        </li>
      )
    })}
  </ul>
)

const unlabelled = { name: undefined, label: undefined }

export const FileTable = ({ seen, files, labels }: ListProps) => (
  <DataTable
    class="data stacked file-list"
    label="Files"
    items={files}
    keyOf={({ hash }) => hash}
    columns={[
      { header: 'File', cell: (file) => <File seen={seen} file={file} {...labels.get(file.hash)} /> },
      {
        header: 'Kind',
        cell: (file) => (
          <bdi title={file.contentType}>{kindText({ ...file, name: labels.get(file.hash)?.name })}</bdi>
        ),
      },
      { header: 'Size', isNumber: true, cell: ({ size }) => sizeText(size) },
      {
        header: 'Referred to by',
        label: 'in',
        cell: ({ references }) => <References seen={seen} references={references} />,
      },
      { header: 'Uploaded', cell: ({ createdAt }) => <Time at={createdAt} /> },
      { action: 'Download', cell: (file) => <Download seen={seen} file={file} {...labels.get(file.hash)} /> },
    ]}
  />
)

interface FileProps extends Partial<FileLabels> {
  readonly seen: VisitedCollection
  readonly file: VersionFile
}

/** The whole cell leads to the page of the file. */
const File = ({ seen, file, name, label }: FileProps) => (
  <a href={filePath(seen, file.hash)}>
    <span class="file-picture">
      {hasThumbnail({ ...file, name }, 'list') ? (
        <Thumbnail {...{ file, seen }} side={48} />
      ) : (
        hasOutline({ ...file, name }) && (
          <img
            class="thumbnail"
            src={withQuery(filePath(seen, file.hash), { as: 'outline' })}
            alt=""
            loading="lazy"
            decoding="async"
            width="48"
            height="28"
          />
        )
      )}
    </span>
    {label === undefined ? <code>{cutText(file.hash, 15)}</code> : <bdi>{label}</bdi>}
  </a>
)

const Download = ({ seen, file: { hash }, name, label }: FileProps) => (
  <a href={fileHref(seen, hash)} download={name ?? ''}>
    Download<span class="sr-only"> {label ?? cutText(hash, 15)}</span>
  </a>
)

/** The head of a file's own page. */
export const FileHead = ({ seen, file, name, label }: FileProps) => (
  <>
    <div class="record-head">
      <h2 class="record-name">
        <bdi>{label ?? cutText(file.hash, 15)}</bdi>
      </h2>
      <a class="button" href={fileHref(seen, file.hash)} download={name ?? ''}>
        Download
      </a>
    </div>
    <p class="facts">
      <bdi title={file.contentType}>{kindText({ ...file, name })}</bdi>
      <span>{sizeText(file.size)}</span>
      <span>
        referred to by <References seen={seen} references={file.references} />
      </span>
      <span>
        uploaded <Time at={file.createdAt} />
      </span>
      <ShortHash hash={file.hash} />
    </p>
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
