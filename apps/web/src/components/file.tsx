/** Renders files: a link to the file's page, a picture, or the beginning of a text. */
import type { VisitedCollection } from '../data/collection.ts'
import { fileHref, type NamedFile, previewKind, type TextPreview, textBytesMax } from '../data/files.ts'
import { cutText, sizeText } from '../format.ts'
import type { NoShapes } from '../geojson/read-shapes.ts'
import { versionPath, withQuery } from '../paths.ts'
import type { ShapePlan } from './map/shape-plan.ts'
import { ShapeMap } from './map/shapes.tsx'

/** The page of one file of a version. */
const filePath = (seen: VisitedCollection, hash: string): string =>
  seen.inView(withQuery(versionPath(seen, 'files'), { hash }))

interface FileLinkProps {
  readonly hash: string
  /** Default: the beginning of the hash. */
  readonly name?: string | undefined
  readonly seen: VisitedCollection
}

export const FileLink = ({ hash, name, seen }: FileLinkProps) => (
  <a href={filePath(seen, hash)}>
    {name === undefined ? <code>{cutText(hash, 15)}</code> : <bdi>{name}</bdi>}
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
        <FileLink hash={hash} name={name} seen={seen} />
        <bdi>{contentType}</bdi>
        <span>{sizeText(size)}</span>
        {kind === 'text' && <a href={filePath(seen, hash)}>Preview</a>}
        <a href={fileHref(seen, hash)} download={name ?? ''}>
          Download
        </a>
      </figcaption>
    </figure>
  )
}

/** Uses the file's own address: in `<img>` no script of an SVG runs, and nothing that it references is loaded. */
const Picture = ({ file: { hash, name }, seen }: { file: NamedFile; seen: VisitedCollection }) => (
  <img class="picture" src={fileHref(seen, hash)} alt={name ?? `File ${hash.slice(0, 15)}`} loading="lazy" />
)

interface PreviewProps {
  readonly file: NamedFile
  readonly seen: VisitedCollection
  /** Preview of a text file; undefined for other files. */
  readonly text: TextPreview | undefined
  /** The map of a GeoJSON file, or the reason for having none; undefined for other files. */
  readonly shapes?: ShapePlan | NoShapes | undefined
}

/** Preview of a file, if a page can show it. */
export function Preview({ file, seen, text, shapes }: PreviewProps) {
  if (previewKind(file) === 'picture') {
    return (
      <section>
        <h2 class="sr-only">Preview</h2>
        <Picture file={file} seen={seen} />
      </section>
    )
  }
  if (text === undefined) return <p class="quiet">It cannot be shown here: download it to look at it.</p>
  return (
    <section class="raw">
      <h2 class="sr-only">Preview</h2>
      {shapes !== undefined &&
        ('reason' in shapes ? (
          <p class="note no-chart">No map: {shapes.reason}</p>
        ) : (
          <ShapeMap plan={shapes} />
        ))}
      {text.isCut && (
        <p class="quiet">
          The first {sizeText(textBytesMax)} of {sizeText(file.size)}.
        </p>
      )}
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
      <pre class="text" tabIndex={0}>
        {text.text}
      </pre>
    </section>
  )
}
