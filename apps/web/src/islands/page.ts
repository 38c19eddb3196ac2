/** Script of every page: copy buttons, keyboard shortcuts, closing menus, long texts, suggestions in search boxes. Finds its elements by class; pages also work without it. */
for (const button of document.querySelectorAll<HTMLButtonElement>('button.copy')) button.hidden = false
document.addEventListener('click', async ({ target }) => {
  const button = (target as Element).closest<HTMLButtonElement>('button.copy')
  if (button === null) return
  const text = button.dataset['copy'] ?? button.previousElementSibling?.textContent ?? ''
  await navigator.clipboard.writeText(text)
  button.classList.add('done')
  setTimeout(() => button.classList.remove('done'), 1_200)
})

if (document.querySelector('main[data-awaits]') !== null) void import('./complete.ts')

const menus = document.querySelectorAll<HTMLDetailsElement>('details.menu')
document.addEventListener('click', ({ target }) => {
  for (const menu of menus) if (menu.open && !menu.contains(target as Node)) menu.open = false
})

/** Scrolls to a text that unfolds, as far as it is out of sight. */
document.addEventListener(
  'toggle',
  ({ target }) => {
    if ((target as Element).matches('.long[open]'))
      (target as Element).closest('tr')?.scrollIntoView({ block: 'nearest' })
  },
  true,
)

document.addEventListener('keydown', ({ key }) => {
  const text = key === 'Escape' && document.querySelector('.long[open]')
  if (!text) return
  text.removeAttribute('open')
  text.querySelector('summary')?.focus({ preventScroll: true })
})

/** Menus of versions: the link is replaced by a menu that loads when it is opened. */
for (const link of document.querySelectorAll<HTMLAnchorElement>('a[data-versions]')) {
  const list = document.createElement('div')
  list.className = 'float'
  list.hidden = true
  link.setAttribute('aria-haspopup', 'true')
  link.setAttribute('aria-expanded', 'false')
  link.after(list)
  const toggle = (isOpen: boolean) => {
    list.hidden = !isOpen
    link.setAttribute('aria-expanded', String(isOpen))
  }
  link.addEventListener('click', async (event) => {
    if (event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    if (list.childElementCount === 0) {
      const answer = await fetch(link.dataset['versions']!).catch(() => undefined)
      if (answer?.ok !== true) return location.assign(link.href)
      const items = (await answer.json()) as { semver: string; withdrawn?: object }[]
      const links = items
        .filter(({ withdrawn }) => withdrawn === undefined)
        .map(({ semver }) => [semver, link.dataset['to']!.replace('{version}', semver)] as const)
      for (const [text, to] of [...links, ['All versions', link.href] as const]) {
        const item = document.createElement('a')
        item.href = to
        item.textContent = text
        list.append(item)
      }
    }
    toggle(list.hidden !== false)
  })
  document.addEventListener('click', ({ target }) => {
    if (!list.parentElement!.contains(target as Node)) toggle(false)
  })
  document.addEventListener('keydown', ({ key }) => {
    if (key === 'Escape') toggle(false)
  })
}

for (const input of document.querySelectorAll<HTMLInputElement>('input[data-suggest]')) {
  const load = async () => (await import('./suggest.ts')).suggest(input)
  if (document.activeElement === input) void load()
  else input.addEventListener('focus', load, { once: true })
}

/** Time after `g` in which the next letter selects a tab. Milliseconds. */
const chordMilliseconds = 1_000
let chordUntil = 0

document.addEventListener('keydown', (event) => {
  const { key, target } = event
  if (key === 'Escape') for (const menu of menus) menu.open = false
  const isTyping = (target as HTMLElement).closest('input, textarea, select, [contenteditable]') !== null
  if (isTyping || event.ctrlKey || event.metaKey || event.altKey) return
  if (key === '/') {
    event.preventDefault()
    document.querySelector<HTMLInputElement>('.search input')?.focus()
  } else if (key === 'g') {
    chordUntil = event.timeStamp + chordMilliseconds
  } else if (event.timeStamp < chordUntil) {
    chordUntil = 0
    document.querySelector<HTMLAnchorElement>(`.tabs a[data-key="${CSS.escape(key)}"]`)?.click()
  }
})

const statement = document.querySelector<HTMLTextAreaElement>('.sql-form textarea')
if (statement !== null) void import('./statement.ts').then((loaded) => loaded.statementField(statement))

/** Texts that pages keep in the tab belong to the account. */
document.querySelector('form[action="/sign-out"]')?.addEventListener('submit', () => sessionStorage.clear())

/** In tables of records, arrow keys move between the links of the rows, wherever the focus is. */
document.addEventListener('keydown', (event) => {
  const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
  const table = (event.target as HTMLElement).closest('.records, .table-scroll:has(.records)')
  if (step === 0 || table === null) return
  const links = [...table.querySelectorAll<HTMLAnchorElement>('tbody th a')]
  const row = (event.target as HTMLElement).closest('tr')
  const at = links.findIndex((link) => row?.contains(link))
  const next = links[at < 0 ? 0 : at + step]
  if (next === undefined) return
  event.preventDefault()
  next.focus()
})
