/** Renders a text of a record: a colour beside a sample of it, a web link with its host, or the text, which unfolds in tables. */
import { cutName, cutText, isBlank, sizeText } from '../../format.ts'
import { Name } from '../small.tsx'

interface Props {
  readonly text: string
  /** Longer texts are cut. Characters. */
  readonly most: number
  /** Its cell in a table, where a longer text unfolds. Default: it does not. */
  readonly cell?: Cell | undefined
  /** True: links are short. */
  readonly isInTable: boolean
}

/** A cell of a table of records, in which long texts unfold. */
export interface Cell {
  /** Page of the record. */
  readonly page: string
  readonly id: string
  readonly column: string
  /** Length to which a longer text unfolds. Maximum: 1,000. Characters. */
  readonly unfoldedAt: number
}

/** Maximum length of an unfolded text. Characters. */
const unfoldedMax = 1_000
/** `#123` is the number of an issue: three digits, or four, are a colour if they have a letter. */
const colourPattern = /^#(?:[\da-f]{6}|[\da-f]{8}|000|(?=\d*[a-f])[\da-f]{3,4})$/i
const linkPattern = /^https?:\/\/[^\s"'<>]{1,2000}$/

export const isColour = (text: string): boolean => colourPattern.test(text)

export function Text({ text, most, cell, isInTable }: Props) {
  if (linkPattern.test(text) && URL.canParse(text)) return <Link {...{ text, most, isInTable }} />
  if (isColour(text)) return <Colour text={text} />
  if (text !== '' && isBlank(text)) return <bdi class="quiet">{cutName(text, most)}</bdi>
  if (text.length <= most) return <bdi class="text">{text}</bdi>
  const size = <span class="cut">({sizeText(Buffer.byteLength(text))})</span>
  const unfolded = Math.min(unfoldedMax, cell?.unfoldedAt ?? 0)
  if (cell === undefined || unfolded <= most)
    return (
      <>
        <bdi class="text">{cutText(text, most)}</bdi> {size}
      </>
    )
  return (
    <details class="long" name="long">
      <summary>
        <bdi class="text">{cutText(text, most)}</bdi> {size}
      </summary>
      <div class="whole-text">
        <p class="place">
          <a href={cell.page}>
            <Name of={cell.id} most={60} />
          </a>{' '}
          <Name of={cell.column} most={60} />
        </p>
        <bdi class="text">{cutText(text, unfolded)}</bdi>
        {text.length > unfolded && <a href={cell.page}>The whole text</a>}
      </div>
    </details>
  )
}

/** In a table its host comes first, elsewhere the whole address. A name before an `@` cannot pass for the host. */
function Link({ text, most, isInTable }: Omit<Props, 'cell'>) {
  const { host, pathname, search, hash, username, password } = new URL(text)
  const rest = `${pathname}${search}${hash}`
  const room = Math.max(0, most - host.length)
  const isHidden = username !== '' || password !== ''
  return (
    <>
      <a class="link" href={text} rel="nofollow noopener ugc">
        {isInTable ? (
          <>
            <bdi>{cutText(host, most)}</bdi>
            {rest !== '/' && room > 1 && <bdi class="quiet">{cutText(rest, room)}</bdi>}
          </>
        ) : (
          <bdi>{cutText(text, most)}</bdi>
        )}
      </a>
      {!isInTable && isHidden && (
        <span class="quiet">
          {' '}
          leads to <bdi>{host}</bdi>
        </span>
      )}
    </>
  )
}

/** As an attribute of a drawing, which the content security policy permits. */
const Colour = ({ text }: { text: string }) => (
  <>
    <svg class="swatch" width="12" height="12" aria-hidden="true">
      <rect width="12" height="12" fill={text} />
    </svg>{' '}
    <bdi class="text">{text}</bdi>
  </>
)
