/** A nested JSON value as a tree whose branches fold. */
import { counted, cutText, shownJson } from '../../format.ts'
import { Name } from '../small.tsx'
import { Text } from './text.tsx'

/** Deeper values are JSON. */
const levelsMax = 6
/** Members of a value that are listed; more are counted. */
const membersMax = 100
/** Branches are open at first if they have few members and few siblings. */
const openMembers = 12
const openSiblings = 5
/** Longer texts and names are cut. Characters. */
const textMax = 2_000
const nameMax = 100

interface TreeProps {
  readonly value: object
  readonly level?: number
}

export function Tree({ value, level = 1 }: TreeProps) {
  const members = Object.entries(value)
  const isList = Array.isArray(value)
  return (
    <ul class="tree">
      {members.slice(0, membersMax).map(([name, member]) => (
        <li key={name} class={!isList && !isBranch(member) ? 'pair' : undefined}>
          <Member name={isList ? undefined : name} value={member} {...{ level }} siblings={members.length} />
        </li>
      ))}
      {members.length > membersMax && <li class="quiet">and {members.length - membersMax} more</li>}
    </ul>
  )
}

/** The names and values of other members are columns. */
const isBranch = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && Object.keys(value).length > 0

interface MemberProps {
  /** Undefined for items of lists. */
  readonly name: string | undefined
  readonly value: unknown
  readonly level: number
  readonly siblings: number
}

function Member({ name, value, level, siblings }: MemberProps) {
  const label = name !== undefined && (
    <span class="quiet">
      <Name of={name} most={nameMax} />
    </span>
  )
  if (!isBranch(value))
    return (
      <>
        {label} <Leaf value={value} />
      </>
    )
  if (level >= levelsMax)
    return (
      <>
        {label} <code class="json">{cutText(shownJson(value), textMax)}</code>
      </>
    )
  const size = Object.keys(value).length
  return (
    <details open={size <= openMembers && siblings <= openSiblings}>
      <summary>
        {label}{' '}
        <span class="quiet">{Array.isArray(value) ? counted(size, 'item') : counted(size, 'field')}</span>
      </summary>
      <Tree value={value} level={level + 1} />
    </details>
  )
}

const Leaf = ({ value }: { value: unknown }) =>
  typeof value === 'string' ? (
    <Text text={value} most={textMax} isInTable={false} />
  ) : (
    <code class="json">{shownJson(value)}</code>
  )
