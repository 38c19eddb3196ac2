/** File input: choose or drop a file. Afterwards a line with its name. */

import type { OpenedFile } from './shapes.ts'
import { counted } from './words.ts'

interface Props {
  /** Undefined until a file has been read. */
  readonly opened: OpenedFile | undefined
  readonly isBusy: boolean
  onChoose(file: File | undefined): void
}

/** Extensions that the file dialog offers. SQLite is missing: only the command line reads it. */
const endings =
  '.csv,.tsv,.tab,.txt,.json,.geojson,.geojsonl,.ndjson,.jsonl,.parquet,.xlsx,.xlsm,.ods,.gz,.zip'

export const FileChoice = ({ opened, isBusy, onChoose }: Props) => (
  <label
    class={opened === undefined ? 'drop' : 'drop chosen'}
    onDragOver={(event) => event.preventDefault()}
    onDrop={(event) => {
      event.preventDefault()
      if (!isBusy) onChoose(event.dataTransfer?.files[0])
    }}
  >
    {opened === undefined ? (
      <span>
        <strong>Choose a file</strong> or drop it here: CSV, TSV, JSON, NDJSON, Parquet, XLSX or ODS, up to
        200 MB. Nothing is published before you have seen the changes.
      </span>
    ) : (
      <>
        <span>
          <strong title={opened.name}>
            <bdi>{opened.name}</bdi>
          </strong>{' '}
          <span class="quiet">
            {counted(opened.rows, 'row')}, {counted(opened.facts.length, 'column')}
          </span>
        </span>
        <span class="button">Choose another file</span>
      </>
    )}
    <input
      type="file"
      class={opened === undefined ? undefined : 'sr-only'}
      disabled={isBusy}
      accept={endings}
      onChange={({ currentTarget: { files } }) => onChoose(files?.[0])}
    />
  </label>
)
