/** Preview of a file: a picture, a map, a table, a JSON value, or the beginning of a text. */
import type { ComponentChildren } from 'preact'
import { DataTable } from '../../../components/data-table.tsx'
import { filePath, Picture } from '../../../components/file.tsx'
import { ShapeMap } from '../../../components/map/shapes.tsx'
import { Name } from '../../../components/small.tsx'
import { Tree } from '../../../components/values/tree.tsx'
import { Value } from '../../../components/values/value.tsx'
import type { VisitedCollection } from '../../../data/collection.ts'
import { type NamedFile, type TextPreview, textBytesMax } from '../../../data/files.ts'
import { counted, sizeText } from '../../../format.ts'
import { withQuery } from '../../../paths.ts'
import type { FilePreview, TablePreview } from './read-preview.ts'

/** Longer names and texts in cells are cut. Characters. */
const namesMax = 60
const cellMax = 80

interface Props {
  readonly file: NamedFile
  readonly seen: VisitedCollection
  /** Undefined: the page cannot show it. */
  readonly preview: FilePreview | undefined
}

export function Preview({ file, seen, preview }: Props) {
  if (preview === undefined) return <p class="quiet">It cannot be shown here: download it to look at it.</p>
  if (preview.kind === 'picture')
    return (
      <Section>
        <Picture file={file} seen={seen} />
      </Section>
    )
  if (preview.kind === 'text')
    return (
      <Section>
        {preview.reason !== undefined && <p class="note no-chart">No map: {preview.reason}</p>}
        <Text text={preview.text} file={file} />
      </Section>
    )
  return (
    <Section>
      {preview.kind === 'map' && <ShapeMap plan={preview.plan} />}
      {preview.kind === 'table' && <Table table={preview.table} seen={seen} />}
      {preview.kind === 'tree' && <Tree value={preview.value} />}
      <p>
        <a href={withQuery(filePath(seen, file.hash), { as: 'text' })} rel="nofollow">
          Show as text
        </a>
      </p>
    </Section>
  )
}

const Section = ({ children }: { children: ComponentChildren }) => (
  <section class="raw">
    <h2 class="sr-only">Preview</h2>
    {children}
  </section>
)

const Text = ({ text: { text, isCut }, file }: { text: TextPreview; file: NamedFile }) => (
  <>
    {isCut && (
      <p class="quiet">
        The first {sizeText(textBytesMax)} of {sizeText(file.size)}.
      </p>
    )}
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: keyboard users must be able to scroll it */}
    <pre class="text" tabIndex={0}>
      {text}
    </pre>
  </>
)

function Table({ table, seen }: { table: TablePreview; seen: VisitedCollection }) {
  const { columns, width, rows, isCut } = table
  const parts = [
    `${isCut ? 'The first ' : ''}${counted(rows.length, 'row')}`,
    ...(width > columns.length ? [`${columns.length} of ${width} columns`] : []),
  ]
  return (
    <>
      <DataTable
        class="data"
        label="Preview of the table"
        items={rows}
        keyOf={(_, index) => index}
        hasRowHeaders={false}
        columns={columns.map((name, at) => ({
          header: <Name of={name} most={namesMax} />,
          cell: (row: readonly unknown[]) =>
            row[at] === undefined ? '' : <Value value={row[at]} seen={seen} most={cellMax} />,
        }))}
      />
      <p class="quiet">{parts.join(', ')}.</p>
    </>
  )
}
