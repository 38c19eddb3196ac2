/** Suggests collections below a search box while the reader types: an ARIA combobox. `page.ts` loads it when the box gets the focus. */
import { listboxOf } from './shared/listbox.ts'

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

export function suggest(input: HTMLInputElement): void {
  let request = new AbortController()
  let timer = 0
  input.role = 'combobox'
  input.ariaExpanded = 'false'
  const list = listboxOf(input, {
    label: 'Collections',
    pick: ({ dataset }) => location.assign(dataset['path']!),
    closed() {
      clearTimeout(timer)
      request.abort()
    },
  })

  async function ask(): Promise<void> {
    request.abort()
    const search = input.value.trim()
    if (search.length < searchMin) return list.close()
    request = new AbortController()
    const { signal } = request
    const found = await readSuggestions(search, signal)
    if (!signal.aborted) list.show(found.map(optionOf))
  }

  input.addEventListener('input', () => {
    clearTimeout(timer)
    timer = window.setTimeout(ask, waitMilliseconds)
  })
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

function optionOf({ ownerSlug, slug, name }: Suggestion): HTMLElement {
  const option = document.createElement('li')
  option.dataset['path'] = `/${ownerSlug}/${slug}`
  option.append(`${ownerSlug}/${slug}`)
  if (name !== slug) {
    const named = document.createElement('bdi')
    named.textContent = name
    option.append(named)
  }
  return option
}
