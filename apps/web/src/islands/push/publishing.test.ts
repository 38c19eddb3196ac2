import { expect, test } from 'vitest'
import { RefusedError } from './calls.ts'
import { Publishing } from './publishing.ts'
import { refusalOf } from './refusal.ts'

const column = { name: 'Amount', kind: 'integer', isRequired: true, isPrivate: false }
const planned = {
  plan: { type: 'Grant', id: ['id'], columns: [column] },
  idText: '',
  isNew: false,
  guarded: new Map(),
}
const opened = { name: 'grants.csv', planned, types: [{ type: 'Grant' }] }
const compared = { added: 1, exposures: [] }

interface Call {
  readonly name: string
  readonly input: Record<string, unknown>
  settle(result: unknown): void
  refuse(error: Error): void
}

/** A page with a worker that answers on demand. */
function page() {
  const calls: Call[] = []
  const call = (name: string, input: unknown) =>
    new Promise((settle, refuse) => calls.push({ name, input: input as never, settle, refuse }))
  return { calls, publishing: new Publishing(call as never, 'ada/grants', 'v1.0.0', () => {}) }
}

/** A page after reading a file. */
async function read() {
  const { calls, publishing } = page()
  const reading = publishing.choose(new File(['x'], 'grants.csv'))
  calls[0]!.settle(opened)
  await reading
  return { calls, publishing }
}

test('a count shows its records until it is pressed again, or the plan changes', async () => {
  const { calls, publishing } = await read()
  const comparing = publishing.compare()
  calls[1]!.settle(compared)
  await comparing
  const cell = { label: 'mayor', change: 'emptied' } as const
  const showing = publishing.filter(cell)
  expect(calls[2]).toMatchObject({ name: 'recordsOf', input: cell })
  calls[2]!.settle('a table')
  await showing
  expect(publishing.state.filtered).toEqual({ cell, table: 'a table' })
  await publishing.filter({ ...cell })
  expect(publishing.state.filtered).toBeUndefined()
  const again = publishing.filter(cell)
  calls[3]!.settle('a table')
  await again
  publishing.edit('mayor', { isPrivate: true })
  expect(publishing.state.filtered).toBeUndefined()
})

test('the records of a count are not shown beside a later comparison', async () => {
  const { calls, publishing } = await read()
  const comparing = publishing.compare()
  calls[1]!.settle(compared)
  await comparing
  const filtering = publishing.filter({ label: 'mayor', change: 'emptied' })
  publishing.edit('mayor', { isPrivate: true })
  calls[2]!.settle('a table')
  await filtering
  expect(publishing.state.filtered).toBeUndefined()
})

test('a button works from the moment it is pressed, until its result is there', async () => {
  const { calls, publishing } = await read()
  const comparing = publishing.compare()
  expect(publishing.state.working).toEqual({ step: 'compare', text: 'Checking every row…' })
  calls[1]!.settle(compared)
  await comparing
  expect(publishing.state).toMatchObject({ working: undefined, compared })
})

test('a new type gets its name at once, so that a press of the button right after typing counts', async () => {
  const { calls, publishing } = page()
  const reading = publishing.choose(new File(['x'], 'museums.csv'))
  calls[0]!.settle({ ...opened, planned: { ...planned, isNew: true } })
  await reading
  const choosing = publishing.chooseId(['code'])
  calls[1]!.settle({ ...planned, isNew: true })
  await choosing
  publishing.edit('Amount', { isPrivate: true })
  void publishing.chooseType('Museum')
  expect(publishing.state).toMatchObject({ working: undefined, ask: { type: 'Museum', id: ['code'] } })
  expect(publishing.plan).toMatchObject({ type: 'Museum', columns: [{ isPrivate: true }] })
  void publishing.chooseType('Grant')
  expect(publishing.state.working?.step).toBe('type')
})

test('of two readings the last one counts, whichever ends first', async () => {
  const { calls, publishing } = await read()
  const first = publishing.read({ skip: 1 })
  const second = publishing.read({ skip: 2 })
  calls[2]!.settle({ ...opened, name: 'second' })
  await second
  calls[1]!.settle({ ...opened, name: 'first' })
  await first
  expect(publishing.state.opened?.name).toBe('second')
})

test('a choice of how to read the file is shown and kept while it is read', async () => {
  const { calls, publishing } = await read()
  const first = publishing.read({ missingIn: { rank: ['NA'] } })
  expect(publishing.state.opened?.options).toEqual({ missingIn: { rank: ['NA'] } })
  const second = publishing.read({ ...publishing.state.opened!.options, skip: 1 })
  expect(calls[2]).toMatchObject({
    name: 'open',
    input: { options: { missingIn: { rank: ['NA'] }, skip: 1 } },
  })
  calls[1]!.settle(opened)
  calls[2]!.settle(opened)
  await Promise.all([first, second])
})

test('edits of columns while another plan is made are kept, and so are both choices', async () => {
  const { calls, publishing } = await read()
  const first = publishing.chooseId(['code'])
  publishing.edit('Amount', { isPrivate: true })
  expect(publishing.plan).toMatchObject({ id: ['code'], columns: [{ isPrivate: true }] })
  const change = { kind: 'rename', column: 'Amount', field: 'amount' } as const
  const second = publishing.carryOut({ label: '', sentence: '', change })
  expect(calls[2]).toMatchObject({ input: { id: ['code'], rename: { Amount: 'amount' } } })
  publishing.edit('Amount', { isRequired: false })
  calls[1]!.settle(planned)
  calls[2]!.settle(planned)
  await Promise.all([first, second])
  expect(publishing.plan?.columns).toMatchObject([{ isPrivate: true, isRequired: false }])
})

test('an id that is chosen while the file is read again begins the reading again, with both choices', async () => {
  const { calls, publishing } = await read()
  const reading = publishing.read({ skip: 1 })
  const choosing = publishing.chooseId(['code'])
  publishing.edit('Amount', { isPrivate: true })
  expect(calls[2]).toMatchObject({ name: 'open', input: { options: { skip: 1 }, ask: { id: ['code'] } } })
  calls[1]!.settle({ ...opened, name: 'late' })
  calls[2]!.refuse(new RefusedError(refusalOf('The file cannot be read so.')))
  await Promise.all([reading, choosing])
  expect(publishing.state).toMatchObject({ opened: { name: 'grants.csv' }, ask: undefined })
  expect(publishing.plan).toMatchObject({ id: ['id'], columns: [{ isPrivate: true }] })
})

test('a refused plan leaves the present one', async () => {
  const { calls, publishing } = await read()
  const first = publishing.chooseId(['code'])
  const second = publishing.chooseId(['code', 'id'])
  calls[1]!.settle(planned)
  calls[2]!.refuse(new RefusedError(refusalOf('The registry does not answer.')))
  await Promise.all([first, second])
  expect(publishing.plan).toMatchObject({ id: ['id'] })
  expect(publishing.state.ask).toBeUndefined()
})

test('a column that the user made private stays private under another type', async () => {
  const { calls, publishing } = await read()
  publishing.edit('Amount', { isPrivate: true, kind: 'number' })
  const choosing = publishing.chooseType('Award')
  calls[1]!.settle({ ...planned, isNew: true })
  await choosing
  expect(publishing.plan?.columns).toMatchObject([{ isPrivate: true, kind: 'integer' }])
})

test('the file is read again for a type that keeps how its files were read, and for one that does not', async () => {
  const { calls, publishing } = page()
  const types = [
    { type: 'Grant', isRemembered: true },
    { type: 'Award', isRemembered: false },
  ]
  const reading = publishing.choose(new File(['x'], 'grants.csv'))
  calls[0]!.settle({ ...opened, types, readAs: 'Grant' })
  await reading
  publishing.edit('Amount', { isPrivate: true })
  const away = publishing.chooseType('Award')
  expect(calls[1]).toMatchObject({ name: 'open', input: { ask: { type: 'Award' } } })
  calls[1]!.settle({ ...opened, types, readAs: undefined })
  await away
  const back = publishing.chooseType('Grant')
  expect(calls[2]).toMatchObject({ name: 'open', input: { ask: { type: 'Grant' } } })
  calls[2]!.settle({ ...opened, types, readAs: 'Grant' })
  await back
  expect(publishing.plan?.columns).toMatchObject([{ isPrivate: true }])
  void publishing.chooseType('Grant')
  expect(calls[3]).toMatchObject({ name: 'plan' })
})

test('a change of the plan takes back the comparison and every confirmation', async () => {
  const { calls, publishing } = await read()
  const comparing = publishing.compare()
  calls[1]!.settle(compared)
  await comparing
  publishing.confirm('Case officer', true)
  publishing.edit('Amount', { kind: 'number' })
  expect(publishing.state).toMatchObject({ compared: undefined, confirmed: [] })
  expect(publishing.plan?.columns).toMatchObject([{ name: 'Amount', kind: 'number', isRequired: true }])
})

test('the way out of a refusal changes the plan and compares again', async () => {
  const { calls, publishing } = await read()
  const comparing = publishing.compare()
  calls[1]!.refuse(new RefusedError(refusalOf('One row does not fit.')))
  await comparing
  expect(publishing.state.refused).toMatchObject({
    step: 'compare',
    refusal: { sentence: 'One row does not fit.' },
  })
  const change = { kind: 'column', column: 'Amount', set: { isRequired: false } } as const
  const again = publishing.carryOut({ label: 'Make Amount optional', sentence: '', change })
  await Promise.resolve()
  expect(calls[2]).toMatchObject({ name: 'compare', input: { plan: { columns: [{ isRequired: false }] } } })
  calls[2]!.settle(compared)
  await again
  expect(publishing.state).toMatchObject({ compared, refused: undefined })
})

test('another version published meanwhile: the file is read beside that one, with what the user chose', async () => {
  const { calls, publishing } = await read()
  publishing.edit('Amount', { isPrivate: true })
  const following = publishing.carryOut({
    label: '',
    sentence: '',
    change: { kind: 'head', head: 'v1.1.0' },
  })
  expect(calls[1]).toMatchObject({ name: 'open', input: { target: { ref: 'ada/grants', head: 'v1.1.0' } } })
  calls[1]!.settle(opened)
  await following
  expect(publishing.plan?.columns).toMatchObject([{ isPrivate: true }])
})

test('a file that no browser should hold is refused before it is read', async () => {
  const { calls, publishing } = page()
  await publishing.choose({ name: 'huge.csv', size: 201 * 1024 ** 2 } as File)
  expect(calls).toEqual([])
  expect(publishing.state.refused?.refusal.sentence).toContain('ulmus import')
})
