/** A list of options below a field, of which arrow keys, Enter and clicks choose one, and which Escape closes. ARIA: listbox. */

export interface Listbox {
  /** None: closes the list. */
  show(options: readonly HTMLElement[]): void
  close(): void
}

/** Pixels from the corner of the field. */
export interface Place {
  readonly left: number
  readonly bottom: number
}

/** Width of a list at a place in the field. Pixels. */
const placedWidth = 320

interface ListboxOptions {
  /** Name for screen readers. */
  readonly label: string
  pick(option: HTMLElement): void
  /** Place in the field below which the list opens. Default: below the field, with its width. */
  place?(): Place
  /** Called when Escape or the loss of the focus closes the list. */
  closed?(): void
}

let lists = 0

export function listboxOf(
  field: HTMLInputElement | HTMLTextAreaElement,
  { label, pick, place, closed }: ListboxOptions,
): Listbox {
  const list = document.createElement('ul')
  list.id = `suggestions-${++lists}`
  list.className = 'float suggestions'
  list.hidden = true
  list.role = 'listbox'
  list.ariaLabel = label
  field.form!.append(list)
  field.ariaAutoComplete = 'list'
  field.setAttribute('aria-controls', list.id)
  let chosen = -1

  function choose(index: number): void {
    chosen = index
    for (const [at, option] of [...list.children].entries()) option.ariaSelected = String(at === index)
    const option = list.children[index]
    if (option === undefined) field.removeAttribute('aria-activedescendant')
    else field.setAttribute('aria-activedescendant', option.id)
    option?.scrollIntoView({ block: 'nearest' })
  }

  /** Below the field or the place in it, within the width of the field. */
  function move(): void {
    const { offsetLeft, offsetTop, offsetHeight, offsetWidth } = field
    const width = place === undefined ? offsetWidth : Math.min(placedWidth, offsetWidth)
    const { left, bottom } = place?.() ?? { left: 0, bottom: offsetHeight }
    list.style.left = `${offsetLeft + Math.max(0, Math.min(left, offsetWidth - width))}px`
    list.style.top = `${offsetTop + Math.min(bottom, offsetHeight) + 4}px`
    list.style.width = `${width}px`
  }

  function show(options: readonly HTMLElement[]): void {
    for (const [index, option] of options.entries()) {
      option.id = `${list.id}-${index}`
      option.role = 'option'
    }
    list.replaceChildren(...options)
    list.hidden = options.length === 0
    if (field.role === 'combobox') field.ariaExpanded = String(!list.hidden)
    if (!list.hidden) move()
    choose(-1)
  }

  function close(): void {
    show([])
    closed?.()
  }

  field.addEventListener('blur', close)
  field.addEventListener('keydown', (event) => {
    const { key, isComposing, ctrlKey, metaKey, altKey, shiftKey } = event as KeyboardEvent
    const count = list.children.length
    if (list.hidden || isComposing || ctrlKey || metaKey || altKey || shiftKey) return
    if (key === 'ArrowDown') choose(chosen + 1 < count ? chosen + 1 : -1)
    else if (key === 'ArrowUp') choose(chosen < 0 ? count - 1 : chosen - 1)
    else if (key === 'Escape') close()
    else if (key === 'Enter' && chosen >= 0) pick(list.children[chosen] as HTMLElement)
    else return
    event.preventDefault()
  })
  // Without this, the field loses the focus and the list closes before the click.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => {
    const option = (target as HTMLElement).closest('li')
    if (option !== null) pick(option)
  })
  return { show, close: () => show([]) }
}
