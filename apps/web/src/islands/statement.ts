/** The field of a statement on the SQL page: completes names, keeps its text in this tab. `page.ts` loads it. */
import { type Completion, completionsAt, type TableNames } from './shared/completion.ts'
import { listboxOf, type Place } from './shared/listbox.ts'

export function statementField(field: HTMLTextAreaElement): void {
  keep(field)
  complete(field)
  runWithKeys(field)
}

/** Ctrl or Cmd with Enter runs a statement, if the URL can contain it. */
function runWithKeys(field: HTMLTextAreaElement): void {
  field.addEventListener('keydown', ({ key, ctrlKey, metaKey }) => {
    if (key === 'Enter' && (ctrlKey || metaKey)) field.form!.requestSubmit()
  })
  field.addEventListener('input', () => {
    const query = new URLSearchParams({ sql: field.value.replaceAll('\n', '\r\n') })
    const isTooLong = `${query}`.length > Number(field.form!.dataset['most'])
    field.setCustomValidity(isTooLong ? 'The statement is too long for the address of a page.' : '')
  })
}

/** Under `<account> <collection>`: a later visitor of this tab gets nothing of another account. `page.ts` removes all at the sign-out. */
function keep(field: HTMLTextAreaElement): void {
  const key = field.dataset['kept']!
  const own = key.slice(0, key.lastIndexOf(' ') + 1)
  try {
    for (const other of Object.keys(sessionStorage))
      if (!other.startsWith(own)) sessionStorage.removeItem(other)
    if (field.value === '') field.value = sessionStorage.getItem(key) ?? ''
    field.addEventListener('input', () => {
      if (field.value === '') sessionStorage.removeItem(key)
      else sessionStorage.setItem(key, field.value)
    })
  } catch {
    // The browser keeps nothing for this site.
  }
}

/** Properties that decide where a text breaks. */
const textProperties = [
  'font',
  'letter-spacing',
  'tab-size',
  'padding',
  'border-width',
  'box-sizing',
  'white-space',
  'overflow-wrap',
  'width',
]

/** Place of a character. A field does not tell it, so a copy of the text before it is measured. */
function placeIn(field: HTMLTextAreaElement, index: number): Place {
  const copy = document.createElement('div')
  const styles = getComputedStyle(field)
  for (const name of textProperties) copy.style.setProperty(name, styles.getPropertyValue(name))
  copy.style.position = 'absolute'
  copy.style.visibility = 'hidden'
  copy.textContent = field.value.slice(0, index)
  const end = document.createElement('span')
  end.textContent = '|'
  copy.append(end)
  field.form!.append(copy)
  const { offsetLeft, offsetTop, offsetHeight } = end
  copy.remove()
  return { left: offsetLeft, bottom: offsetTop + offsetHeight - field.scrollTop }
}

function complete(field: HTMLTextAreaElement): void {
  const tables = Array.from(
    field.form!.querySelectorAll('datalist'),
    ({ dataset, options }): TableNames => [dataset['table']!, Array.from(options, ({ value }) => value)],
  )
  const status = document.createElement('p')
  status.className = 'sr-only'
  status.role = 'status'
  field.form!.append(status)
  field.ariaHasPopup = 'listbox'
  let start = 0
  const list = listboxOf(field, {
    label: 'Tables and columns',
    pick({ dataset }) {
      insert(field, start, dataset['text']!)
      show([])
    },
    place: () => placeIn(field, start),
    closed: () => status.replaceChildren(),
  })
  function show(found: readonly Completion[]): void {
    list.show(found.map(optionOf))
    const count = found.length === 1 ? '1 name' : `${found.length} names`
    status.textContent = found.length === 0 ? '' : `${count}. Choose with the arrow keys and Enter.`
  }
  field.addEventListener('input', (event) => {
    if ((event as InputEvent).isComposing) return
    const { selectionStart: caret, selectionEnd } = field
    const completions = caret === selectionEnd ? completionsAt(field.value, caret, tables) : undefined
    start = completions?.start ?? caret
    show(completions?.found ?? [])
  })
  // The caret moved: the list belongs to another word.
  for (const name of ['pointerdown', 'keyup'] as const)
    field.addEventListener(name, (event) => {
      const { key } = event as KeyboardEvent
      if (name === 'pointerdown' || ['ArrowLeft', 'ArrowRight', 'Home', 'End'].includes(key)) show([])
    })
}

/** As if typed, so that the browser can undo it. */
function insert(field: HTMLTextAreaElement, start: number, text: string): void {
  const end = field.selectionEnd
  field.setSelectionRange(start, end)
  if (!document.execCommand('insertText', false, text)) field.setRangeText(text, start, end, 'end')
}

function optionOf({ name, text, of }: Completion): HTMLElement {
  const option = document.createElement('li')
  option.dataset['text'] = text
  option.append(document.createElement('bdi'), document.createElement('bdi'))
  option.children[0]!.textContent = name
  option.children[1]!.textContent = of
  return option
}
