/** Tools above the table of records: the types, the choice of columns, frequent values, and the result for other tools. */
import { isCutValue } from '@ulmus/content'
import { findCoordinates } from '@ulmus/registry'
import { useContext } from 'preact/hooks'
import { Part } from '../../../components/part.tsx'
import { Icon, Name } from '../../../components/small.tsx'
import type { VersionResponse, VisitedCollection } from '../../../data/collection.ts'
import { questionAt, savingPath } from '../../../data/questions.ts'
import { countText, cutName, withoutUnseen } from '../../../format.ts'
import { SavedQuestionContext } from '../../../layout/saved-question.tsx'
import type { Visit } from '../../../page.ts'
import { collectionPath, toggled, versionPath } from '../../../paths.ts'
import { isQuery, keptFields, pathTo, type RecordsAddress } from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'
import type { Extras } from './extras.ts'
import { HiddenFields, type Question, valuesList } from './question.tsx'
import { ResultMenu } from './result.tsx'

/** Longer names of fields are cut. Characters. */
const namesMax = 60
/** Columns in the list, and columns that are searched for coordinates. */
const listedMax = 500
/** Values that the field of a filter suggests. */
const suggestedMax = 60
const searchedMax = 200

interface ToolsProps {
  readonly address: RecordsAddress
  readonly question: Question
  /** Records of the result. */
  readonly total: number
  /** False: this server answers no questions. */
  readonly canAsk: boolean
  readonly all: readonly PageColumn[]
  readonly chosen: readonly PageColumn[]
  /** Whether the page lists frequent values; `none`: no column has any. `awaited`: they are being counted. */
  readonly facets: 'none' | 'awaited' | 'closed' | 'open'
  readonly extras: Pick<Extras, 'grouped' | 'profiles' | 'labels'>
  /** Name of the type in SQL. */
  readonly sqlName: string
  readonly visit: Visit
}

export function Tools(props: ToolsProps) {
  const { address, question, total, canAsk, all, chosen, facets, extras, sqlName, visit } = props
  const isSaved = useContext(SavedQuestionContext) !== undefined
  const mayChange = address.seen.may('describe') && !isSaved
  const isTable = address.chart === undefined && address.map === undefined
  return (
    <>
      {canAsk && <Forms address={address} all={all} />}
      {isTable && <ColumnsMenu {...{ address, all, chosen }} />}
      <ResultMenu {...{ address, question, total, canAsk, sqlName, visit }} />
      {/* Last of the choices: whether there are any may be known only later, and then nothing moves. */}
      <Part name="facets">
        {canAsk && <FrequentValues {...extras} />}
        {facets !== 'none' && isTable && (
          <a
            class={facets === 'awaited' ? 'toggle awaited' : 'toggle'}
            href={
              address.facets.length > 0
                ? pathTo({ ...address, facets: [] })
                : toggled(visit.url, 'facets', '1')
            }
            rel="nofollow"
          >
            {facets === 'open' ? (
              <>
                <span class="roomy">Hide</span> facets
              </>
            ) : (
              'Facets'
            )}
          </a>
        )}
      </Part>
      {mayChange && (isQuery(address.query) || !isTable) && (
        <a
          class="button save"
          href={savingPath(address.seen, questionAt(address.type, visit.url))}
          rel="nofollow"
        >
          Save
        </a>
      )}
      {mayChange && address.seen.version === undefined && (
        <a class="button add" href={collectionPath(address.seen, 'records', address.type, 'new')}>
          <Icon name="plus" />
          <span class="roomy">Add record</span>
        </a>
      )}
    </>
  )
}

/** Values for the field of a filter, as far as profiles know them, with the name of their column. */
function FrequentValues({ grouped, profiles, labels }: ToolsProps['extras']) {
  if (typeof profiles === 'string') return null
  const values = grouped.flatMap(({ label, refersTo }) =>
    (profiles.get(label)?.top ?? []).flatMap(({ value }) => {
      if (typeof value !== 'string' || value === '' || isCutValue(value) || value.length > namesMax) return []
      const name = labels.get(`${refersTo}/${value}`)
      return [
        {
          value,
          text: `${name === undefined ? '' : `${cutName(name, namesMax)}, `}${cutName(label, namesMax)}`,
        },
      ]
    }),
  )
  return (
    <datalist id={valuesList}>
      {values.slice(0, suggestedMax).map(({ value, text }) => (
        <option key={`${value} ${text}`} value={value}>
          {withoutUnseen(text)}
        </option>
      ))}
    </datalist>
  )
}

/** False: the type has no coordinates. Types with very many columns are not searched at each visit. */
const mayHaveMap = (all: readonly PageColumn[]): boolean =>
  all.length > searchedMax || findCoordinates(all.flatMap(({ column }) => column ?? [])).length > 0

/** The question as a table, a chart or a map. The present one has no link, which would repeat a long question. */
function Forms({ address, all }: Pick<ToolsProps, 'address' | 'all'>) {
  const { chart, map } = address
  const none = { chart: undefined, map: undefined }
  const forms = [
    ['Table', none, chart === undefined && map === undefined],
    ['Chart', { ...none, chart: { x: undefined, y: 'count', by: undefined } }, chart !== undefined],
    ['Map', { ...none, map: { coordinates: undefined } }, map !== undefined],
  ] as const
  const offered = forms.filter(([name, , isCurrent]) => name !== 'Map' || isCurrent || mayHaveMap(all))
  return (
    <nav class="choices" aria-label="Form">
      {offered.map(([name, form, isCurrent]) => (
        <a
          key={name}
          class="choice"
          {...(isCurrent
            ? { 'aria-current': 'true' }
            : { href: pathTo({ ...address, ...form }), rel: 'nofollow' })}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}

function ColumnsMenu({ address, all, chosen }: Pick<ToolsProps, 'address' | 'all' | 'chosen'>) {
  if (all.length <= chosen.length && address.named.length === 0) return null
  return (
    <details class="menu columns-menu">
      <summary>
        Columns <span class="quiet">{`${chosen.length} of ${all.length}`}</span>
        <Icon name="chevron" />
      </summary>
      <form class="float" action={versionPath(address.seen, 'records', address.type)}>
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
        <HiddenFields of={keptFields(address, ['q', 'filter', 'sort'])} />
        <button type="submit">Show</button>
      </form>
    </details>
  )
}

interface ProfilesNoteProps extends Pick<Extras, 'profiles'> {
  readonly isFolded: boolean
  readonly url: URL
}

/** Link that computes, folds or unfolds profiles, or a note that they are being computed. */
export function ProfilesNote({ profiles, isFolded, url }: ProfilesNoteProps) {
  if (profiles === 'none') return null
  if (profiles === 'computing')
    return (
      <span class="quiet" role="status">
        Column profiles are being computed…
      </span>
    )
  const isHidden = isFolded || typeof profiles === 'string'
  // A script puts in those that come later.
  const style = profiles === 'later' && !isFolded ? 'unscripted' : undefined
  return (
    <a class={style} href={toggled(url, 'profiles', isHidden ? '1' : '0')} rel="nofollow">
      {isHidden ? 'Show column profiles' : 'Hide column profiles'}
    </a>
  )
}

/** More types than these are in a menu. */
const typesInLine = 3

export function Types({
  seen,
  version,
  type,
}: {
  seen: VisitedCollection
  version: VersionResponse
  type: string
}) {
  const types = Object.keys(version.schemas)
  if (types.length === 1) return null
  const link = (name: string, style?: string) => (
    <a
      key={name}
      class={style}
      href={seen.inView(versionPath(seen, 'records', name))}
      aria-current={name === type ? 'true' : undefined}
    >
      <Name of={name} /> <Count of={version.typeCounts[name]} />
    </a>
  )
  if (types.length <= typesInLine)
    return (
      <nav class="choices types" aria-label="Types">
        {types.map((name) => link(name, 'choice'))}
      </nav>
    )
  return (
    <nav aria-label="Types">
      <details class="menu types-menu">
        <summary>
          <strong>
            <Name of={type} />
          </strong>
          <Count of={version.typeCounts[type]} />
          <Icon name="chevron" />
        </summary>
        <div class="float">{types.map((name) => link(name))}</div>
      </details>
    </nav>
  )
}

const Count = ({ of = 0 }: { of: number | undefined }) => <span class="quiet number">{countText(of)}</span>
