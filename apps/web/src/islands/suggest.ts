/** Suggests collections below a search box while the reader types: an ARIA combobox. `page.ts` loads it when the box gets the focus. */

/** Wait after the last key, so that a quick writer causes one request. Milliseconds. */
const waitMilliseconds = 200
const suggestionsMax = 6
/** Shorter words find too much. Characters. */
const searchMin = 2

interface Suggestion {
  readonly ownerSlug: string
  readonly slug: string
  readonly name: string
}

let boxes = 0

export function suggest(input: HTMLInputElement): void {
  const list = document.createElement('ul')
  list.id = `suggestions-${++boxes}`
  list.className = 'float suggestions'
  list.hidden = true
  list.role = 'listbox'
  list.ariaLabel = 'Collections'
  input.form!.append(list)
  input.role = 'combobox'
  input.ariaAutoComplete = 'list'
  input.setAttribute('aria-controls', list.id)
  let chosen = -1
  let request = new AbortController()
  let timer = 0

  function choose(index: number): void {
    chosen = index
    for (const [at, option] of [...list.children].entries()) option.ariaSelected = String(at === index)
    const option = list.children[index]
    if (option === undefined) input.removeAttribute('aria-activedescendant')
    else input.setAttribute('aria-activedescendant', option.id)
    option?.scrollIntoView({ block: 'nearest' })
  }

  function show(found: readonly Suggestion[]): void {
    list.replaceChildren(...found.map((one, index) => optionOf(one, `${list.id}-${index}`)))
    list.hidden = found.length === 0
    input.ariaExpanded = String(!list.hidden)
    const { offsetLeft, offsetTop, offsetHeight, offsetWidth } = input
    list.style.left = `${offsetLeft}px`
    list.style.top = `${offsetTop + offsetHeight + 4}px`
    list.style.width = `${offsetWidth}px`
    choose(-1)
  }

  function close(): void {
    clearTimeout(timer)
    request.abort()
    show([])
  }

  async function ask(): Promise<void> {
    request.abort()
    const search = input.value.trim()
    if (search.length < searchMin) return show([])
    request = new AbortController()
    const { signal } = request
    const found = await readSuggestions(search, signal)
    if (!signal.aborted) show(found)
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = window.setTimeout(ask, waitMilliseconds)
  })
  input.addEventListener('blur', close)
  input.addEventListener('keydown', (event) => {
    const { key, isComposing } = event
    const count = list.children.length
    if (list.hidden || isComposing) return
    if (key === 'ArrowDown') choose(chosen + 1 < count ? chosen + 1 : -1)
    else if (key === 'ArrowUp') choose(chosen < 0 ? count - 1 : chosen - 1)
    else if (key === 'Escape') close()
    else if (key === 'Enter' && chosen >= 0) go(list.children[chosen])
    else return
    event.preventDefault()
  })
  // Without this, the box loses the focus and the list closes before the click.
  list.addEventListener('pointerdown', (event) => event.preventDefault())
  list.addEventListener('click', ({ target }) => go((target as HTMLElement).closest('li')))
  input.ariaExpanded = 'false'
  if (input.value !== input.defaultValue) void ask()
}

/** Suggestions are a convenience: without an answer there are none. */
async function readSuggestions(search: string, signal: AbortSignal): Promise<readonly Suggestion[]> {
  const query = new URLSearchParams({ search, limit: String(suggestionsMax) })
  try {
    const answer = await fetch(`/api/collections?${query}`, { signal })
    return answer.ok ? ((await answer.json()) as Suggestion[]) : []
  } catch {
    return []
  }
}

function optionOf({ ownerSlug, slug, name }: Suggestion, id: string): HTMLElement {
  const option = document.createElement('li')
  option.id = id
  option.role = 'option'
  option.dataset['path'] = `/${ownerSlug}/${slug}`
  option.append(`${ownerSlug}/${slug}`)
  if (name !== slug) {
    const named = document.createElement('bdi')
    named.textContent = name
    option.append(named)
  }
  return option
}

function go(option: Element | null | undefined): void {
  const path = (option as HTMLElement | null | undefined)?.dataset['path']
  if (path !== undefined) location.assign(path)
}
