/** Ticks for private data that becomes public. */
import type { Exposure } from './exposures.ts'

interface Props {
  readonly exposures: readonly Exposure[]
  /** Names that the user confirmed. */
  readonly confirmed: readonly string[]
  /** Default: the ticks are fields of a form, `public.0` and so on. */
  onConfirm?(name: string, isConfirmed: boolean): void
}

/** Each part needs a tick of its own. */
export function ExposureTicks({ exposures, confirmed, onConfirm }: Props) {
  const open = exposures.find(({ name }) => !confirmed.includes(name))
  return (
    <fieldset class="note warn exposures">
      <legend class="sr-only">Private data that becomes public</legend>
      {exposures.map(({ name, label = name, why }, index) => (
        <label key={name} class="check">
          <input
            type="checkbox"
            name={`public.${index}`}
            value={name}
            checked={confirmed.includes(name)}
            autofocus={onConfirm === undefined && name === open?.name}
            onChange={onConfirm && (({ currentTarget: { checked } }) => onConfirm(name, checked))}
          />
          <span dir="auto">
            Make <strong>{label}</strong> public{' '}
            <span class="help">
              {why} Everyone will read its values, and this version keeps them for good.
            </span>
          </span>
        </label>
      ))}
    </fieldset>
  )
}
