/** Tools above the table of records: a jump to an id, the choice of columns, and downloads. */
import type { Field } from '@ulmus/content'
import { Icon } from '../../components/icon.tsx'
import { cutText } from '../../format.ts'
import { apiVersionPath, versionPath, withQuery } from '../../paths.ts'
import { HiddenFields } from './records-question.tsx'
import { type Asked, downloadsOf, keptFields } from './records-url.ts'

/** Number of columns shown by default. */
export const columnsUsual = 8
/** Longer names of fields are cut. Characters. */
const namesMax = 60

interface ToolsProps {
  readonly asked: Asked
  /** True: the page answers a question. */
  readonly isAsked: boolean
  /** False: this server answers none. */
  readonly canAsk: boolean
  readonly fields: readonly Field[]
  readonly chosen: readonly Field[]
  readonly id: string
}

export function Tools({ asked, isAsked, canAsk, fields, chosen, id }: ToolsProps) {
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
      {fields.length > columnsUsual && (
        <details class="menu columns-menu">
          <summary>
            Columns <span class="quiet">{`${chosen.length} of ${fields.length}`}</span>
            <Icon name="chevron" />
          </summary>
          <form class="float" action={here}>
            <div class="scroll">
              {fields.slice(0, 500).map(({ name }) => (
                <label key={name} class="check">
                  <input
                    type="checkbox"
                    name="columns"
                    value={name}
                    checked={chosen.some((field) => field.name === name)}
                  />
                  <bdi>{cutText(name, namesMax)}</bdi>
                </label>
              ))}
            </div>
            <HiddenFields of={keptFields(asked, ['q', 'filter', 'sort'])} />
            <button type="submit">Show</button>
          </form>
        </details>
      )}
      <span class="grow" />
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
