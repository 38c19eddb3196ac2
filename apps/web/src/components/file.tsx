/** Renders files: a link to the file's page, or a picture. */
import type { VisitedCollection } from '../data/collection.ts'
import { hasThumbnail, kindText, previewKind } from '../data/file-kinds.ts'
import { fileHref, type NamedFile } from '../data/files.ts'
import { cutText, sizeText } from '../format.ts'
import { versionPath, withQuery } from '../paths.ts'

/** The page of one file of a version. */
export const filePath = (seen: VisitedCollection, hash: string): string =>
  seen.inView(withQuery(versionPath(seen, 'files'), { hash }))

interface FileLinkProps {
  readonly hash: string
  /** Default: the beginning of the hash. */
  readonly name?: string | undefined
  readonly seen: VisitedCollection
}

export const FileLink = ({ hash, name, seen }: FileLinkProps) => (
  <a href={filePath(seen, hash)}>
    <FileName hash={hash} name={name} />
  </a>
)

/** A file in a record: the picture, or a link with its facts. */
export function FileView({ file, seen }: { file: NamedFile; seen: VisitedCollection }) {
  const { hash, name, contentType, size } = file
  const kind = previewKind(file)
  return (
    <figure class="file">
      {kind === 'picture' && (
        <a href={filePath(seen, hash)}>
          <Picture file={file} seen={seen} />
        </a>
      )}
      <figcaption class="facts">
        <a href={filePath(seen, hash)} title={contentType}>
          {name === undefined ? kindText(file) : <bdi>{name}</bdi>}
        </a>
        {name !== undefined && <span>{kindText(file)}</span>}
        <span>{sizeText(size)}</span>
        {kind === 'text' && <a href={filePath(seen, hash)}>Preview</a>}
        <a href={fileHref(seen, hash)} download={name ?? ''}>
          Download
        </a>
      </figcaption>
    </figure>
  )
}

interface ThumbnailProps {
  readonly file: { readonly hash: string }
  readonly seen: VisitedCollection
  /** Pixels. */
  readonly side: number
}

/** The picture itself, loaded when it comes into sight. */
export const Thumbnail = ({ file, seen, side }: ThumbnailProps) => (
  <img
    class="thumbnail"
    src={fileHref(seen, file.hash)}
    alt=""
    loading="lazy"
    decoding="async"
    width={side}
    height={side}
  />
)

/** A file in a cell of a table: its name or kind, with the picture if it is small. */
export const FileCell = ({ file, seen }: { file: NamedFile; seen: VisitedCollection }) => (
  <a href={filePath(seen, file.hash)}>
    {hasThumbnail(file, 'cell') && <Thumbnail {...{ file, seen }} side={24} />}
    {file.name === undefined ? (
      <span title={cutText(file.hash, 15)}>
        {kindText(file)}, {sizeText(file.size)}
      </span>
    ) : (
      <bdi>{file.name}</bdi>
    )}
  </a>
)

const FileName = ({ hash, name }: Pick<FileLinkProps, 'hash' | 'name'>) =>
  name === undefined ? <code>{cutText(hash, 15)}</code> : <bdi>{name}</bdi>

/** Uses the file's own address: in `<img>` no script of an SVG runs, and nothing that it references is loaded. */
export const Picture = ({ file: { hash, name }, seen }: { file: NamedFile; seen: VisitedCollection }) => (
  <img
    class="picture"
    src={fileHref(seen, hash)}
    alt={name ?? `File ${hash.slice(0, 15)}`}
    loading="lazy"
    decoding="async"
  />
)
