/**
 * Completes a page that is not complete yet: asks for it again until it is, and puts its parts in their place. Rows of a table stay where
 * they are. `page.ts` loads it.
 */

/** Wait before the first question, and the longest one. Milliseconds. */
const [waitFirst, waitMost] = [1_000, 10_000]
/** Later the page stays as it is: some ten minutes. */
const questionsMax = 70

const main = document.querySelector<HTMLElement>('main[data-awaits]')!
/** Tells screen readers which parts arrived. */
const status = document.createElement('p')
status.className = 'sr-only'
status.role = 'status'
main.append(status)
// Its progress would interrupt them each time.
for (const note of main.querySelectorAll('.building')) note.setAttribute('aria-live', 'off')

async function complete(): Promise<void> {
  for (let n = 0; n < questionsMax; n++) {
    await new Promise((resolve) => setTimeout(resolve, Math.min(waitFirst * 1.4 ** n, waitMost)))
    await whileHidden()
    const answer = await fetch(location.href).catch(() => undefined)
    // The server is busy, or does not run.
    if (answer === undefined || answer.status === 429 || answer.status >= 500) continue
    if (main.dataset['awaits'] === 'page' && answer.redirected) return location.replace(answer.url)
    const text = await answer.text()
    const next = new DOMParser().parseFromString(text, 'text/html').querySelector('main')
    if (next === null || !answer.ok) return main.dataset['awaits'] === 'page' ? location.reload() : undefined
    if (update(next)) return
  }
}

async function whileHidden(): Promise<void> {
  while (document.hidden)
    await new Promise((resolve) => document.addEventListener('visibilitychange', resolve, { once: true }))
}

/** True: nothing follows any more. */
function update(next: HTMLElement): boolean {
  const { awaits } = next.dataset
  const table = main.querySelector<HTMLTableElement>('table.records')
  const nextTable = next.querySelector<HTMLTableElement>('table.records')
  if (awaits === 'page' && table === null) {
    const [note, nextNote] = [main, next].map((one) => one.querySelector('.building'))
    if (note && nextNote) note.replaceChildren(...nextNote.childNodes)
    return false
  }
  const isMerged = table !== null && nextTable !== null
  // Another version is the latest now, so that its profiles belong to other rows.
  if (isMerged && !merge(table, nextTable)) return true
  const names = isMerged ? ['present', 'facets'] : [...new Set([main, next].flatMap(partsOf))]
  const parts = names.map((name) => [main, next].map((one) => one.querySelector(`[data-part=${name}]`)))
  if (parts.length === 0 || parts.some((pair) => pair.includes(null))) {
    location.reload()
    return true
  }
  for (const [part, nextPart] of parts) if (!isMerged || !isHeld(part!)) replace(part!, nextPart!)
  for (const button of main.querySelectorAll<HTMLButtonElement>('button.copy')) button.hidden = false
  if (awaits === undefined || (!isMerged && main.dataset['awaits'] === 'page')) {
    const place = main.querySelector('.table-foot > .quiet')?.textContent ?? ''
    status.textContent = isMerged ? 'Profiles and titles are there.' : `The result is there. ${place}`
  }
  main.dataset['awaits'] = awaits ?? 'nothing'
  return awaits === undefined
}

const partsOf = (one: HTMLElement): string[] =>
  Array.from(one.querySelectorAll<HTMLElement>('[data-part]'), ({ dataset }) => dataset['part']!)

/** Equal content stays, and with it the reader's selection. */
function replace(old: Element, made: Element | null | undefined): void {
  if (old.innerHTML !== made?.innerHTML) old.replaceChildren(...(made?.childNodes ?? []))
}

/** The reader is at it. */
const isHeld = (element: Element): boolean => element.contains(document.activeElement)

/** False: the tables have other rows. */
function merge(table: HTMLTableElement, next: HTMLTableElement): boolean {
  const [rows, nextRows] = [table, next].map(({ tBodies }) => [...tBodies[0]!.rows]) as [Rows, Rows]
  const isSame = (row: HTMLTableRowElement, index: number) => linkOf(row) === linkOf(nextRows[index]!)
  if (rows.length !== nextRows.length || !rows.every(isSame)) return false
  const [heads, nextHeads] = [table, next].map(({ tHead }) => [...tHead!.rows[0]!.cells]) as [Cells, Cells]
  // Once the profiles are known, empty columns are the last ones, and menus have more questions.
  const nextNames = nextHeads.map(nameOf)
  const places = heads.map((head) => nextNames.indexOf(nameOf(head)))
  for (const [at, head] of heads.entries()) {
    const nextHead = nextHeads[places[at]!]
    if (nextHead !== undefined && !isHeld(head) && head.querySelector(':popover-open') === null)
      replace(head, nextHead)
  }
  for (const [index, row] of rows.entries()) {
    const nextRow = nextRows[index]!
    if (row.cells.length !== heads.length || nextRow.cells.length !== nextHeads.length) continue
    const pairs = places.map((place, at) => [row.cells[at]!, nextRow.cells[place]] as const)
    for (const [cell, nextCell] of pairs) if (nextCell !== undefined && !isHeld(cell)) replace(cell, nextCell)
  }
  const [profiles, nextProfiles] = [table, next].map(({ tHead }) => tHead!.rows[1])
  if (profiles?.matches('.awaited') && nextProfiles?.matches(':not(.awaited)')) {
    nextProfiles.style.height = `${profiles.offsetHeight}px`
    nextProfiles.replaceChildren(
      ...places.map((place) => nextProfiles.cells[place]?.cloneNode(true) ?? document.createElement('td')),
    )
    profiles.replaceWith(nextProfiles)
  }
  replaceBeside(table, next, '.table-foot')
  replaceBeside(table, next, '.facets')
  return true
}

type Rows = HTMLTableRowElement[]
type Cells = HTMLTableCellElement[]

/** Name of the column. */
const nameOf = (head: Element) => head.querySelector('bdi')?.textContent

const linkOf = (row: HTMLTableRowElement) => row.querySelector('th a')?.getAttribute('href')

function replaceBeside(table: Element, next: Element, selector: string): void {
  const [old, made] = [table, next].map((one) => one.closest('.records-page')?.querySelector(selector))
  if (old && !isHeld(old)) replace(old, made)
}

void complete()
