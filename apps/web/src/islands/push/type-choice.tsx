/** Choice of the type for the rows: an existing type, or a new one. */
import { useId } from 'preact/hooks'
import type { LikeType, Planned } from './shapes.ts'

interface Props {
  readonly types: readonly LikeType[]
  readonly planned: Planned
  /** Name for a new type while another type is chosen. */
  readonly newName: string
  onChoose(type: string, isNew: boolean): void
}

export function TypeChoice({ types, planned, newName, onChoose }: Props) {
  const { isNew, plan } = planned
  const name = useId()
  if (types.length === 0)
    return (
      <div class="field">
        <label for={name}>Type</label>
        <input
          id={name}
          value={plan.type}
          spellcheck={false}
          onChange={({ currentTarget: { value } }) => onChoose(value.trim(), true)}
        />
        <p class="help">What one row is, in the singular, such as City.</p>
      </div>
    )
  const likeness = types.find(({ type }) => type === plan.type)?.likeness
  return (
    <fieldset class="field type-choice">
      <legend>The rows are</legend>
      <p class="inline chosen-type">
        <select
          aria-label="Type"
          value={isNew ? '' : plan.type}
          onChange={({ currentTarget: { value } }) => onChoose(value === '' ? newName : value, value === '')}
        >
          {types.map(({ type }) => (
            <option key={type} value={type}>
              more {type}
            </option>
          ))}
          <option value="">records of a new type</option>
        </select>
        {isNew && (
          <input
            aria-label="Name of the new type"
            value={plan.type}
            spellcheck={false}
            onChange={({ currentTarget: { value } }) => onChoose(value.trim(), true)}
          />
        )}
        <span class="help" dir="auto">
          {isNew ? 'The records of other types stay as they are.' : likeness}
        </span>
      </p>
      {isNew && !types.some(({ isLikely }) => isLikely) && (
        <p class="note warn">
          The file is unlike everything in this collection. Is it the right file, and the right collection?
        </p>
      )}
    </fieldset>
  )
}
