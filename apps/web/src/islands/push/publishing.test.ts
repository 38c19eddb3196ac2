import { expect, test } from 'vitest'
import { RefusedError } from './calls.ts'
import { Publishing } from './publishing.ts'
import { refusalOf } from './refusal.ts'

const column = { name: 'Amount', kind: 'integer', isRequired: true, isPrivate: false }
const planned = {
  plan: { type: 'Grant', id: ['id'], columns: [column] },
  idText: '',
  isNew: false,
  guarded: {},
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
