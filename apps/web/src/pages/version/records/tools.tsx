/** Tools above the table of records: a jump to an id, the choice of columns, and downloads. */
import { Icon } from '../../../components/icon.tsx'
import { Name } from '../../../components/small.tsx'

import { apiVersionPath, collectionPath, versionPath, withQuery } from '../../../paths.ts'
import type { PageColumn } from './columns.ts'
import { HiddenFields } from './question.tsx'
import { ResultMenu } from './result.tsx'
import { type Asked, downloadsOf, keptFields } from './url.ts'

/** Longer names of fields are cut. Characters. */
const namesMax = 60
/** Columns in the list. */
const listedMax = 500

interface ToolsProps {
  readonly asked: Asked
  /** True: the page answers a question. */
  readonly isAsked: boolean
  /** False: this server answers none. */
  readonly canAsk: boolean
  readonly all: readonly PageColumn[]
  readonly chosen: readonly PageColumn[]
  readonly id: string
  /** Name of the type in SQL. */
  readonly sqlName: string
  readonly origin: string
}

export function Tools({ asked, isAsked, canAsk, all, chosen, id, sqlName, origin }: ToolsProps) {
  const here = versionPath(asked.seen, 'records', asked.type)
  return (
    <div class="tools">
      <form action={here} class="inline">
        <label class="sr-only" for="jump">
          Id of a record
        </label>
        <input
          id="jump"
          name="id"
          value={id}
          placeholder="Go to id"
          spellcheck={false}
          autocomplete="off"
          maxLength={1024}
        />
        <HiddenFields of={keptFields(asked, [])} />
        <button type="submit">Go</button>
      </form>
      {all.length > chosen.length || asked.shown.length > 0 ? (
        <details class="menu columns-menu">
          <summary>
            Columns <span class="quiet">{`${chosen.length} of ${all.length}`}</span>
            <Icon name="chevron" />
          </summary>
          <form class="float" action={here}>
            <div class="scroll">
              {all.slice(0, listedMax).map(({ text, label }) => (
                <label key={text} class="check">
                  <input
                    type="checkbox"
                    name="columns"
                    value={text}
                    checked={chosen.some((column) => column.text === text)}
                  />
                  <Name of={label} most={namesMax} />
                </label>
              ))}
            </div>
            <HiddenFields of={keptFields(asked, ['q', 'filter', 'sort'])} />
            <button type="submit">Show</button>
          </form>
        </details>
      ) : null}
      {asked.seen.mayWork && asked.seen.version === undefined && (
        <a class="button" href={collectionPath(asked.seen, 'records', asked.type, 'new')}>
          <Icon name="plus" />
          Add record
        </a>
      )}
      <span class="grow" />
      {canAsk && <ResultMenu asked={asked} sqlName={sqlName} origin={origin} />}
      <Downloads asked={asked} isAsked={isAsked} canAsk={canAsk} />
    </div>
  )
}

/** The result of a question apart from the files that have all records. */
function Downloads({ asked, isAsked, canAsk }: Pick<ToolsProps, 'asked' | 'isAsked' | 'canAsk'>) {
  const { seen, type } = asked
  const { json, csv, parquet } = downloadsOf(asked)
  return (
    <>
      <span class="downloads">
        {isAsked && <span class="quiet">This result:</span>}
        {canAsk && (
          <a href={csv} rel="nofollow">
            CSV
          </a>
        )}
        <a href={isAsked ? json : withQuery(apiVersionPath(seen, 'records'), { type })}>JSON</a>
      </span>
      <span class="downloads">
        {isAsked && <span class="quiet">All records:</span>}
        {canAsk && (
          <a href={parquet} rel="nofollow">
            Parquet
          </a>
        )}
        <a href={withQuery(apiVersionPath(seen, 'records.ndjson'), { type })}>NDJSON</a>
      </span>
    </>
  )
}
