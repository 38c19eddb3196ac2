import { expect, test } from 'vitest'
import { type Turn, TurnCutError, Turns, type TurnsOptions } from './turns.ts'

const tick = () => new Promise((resolve) => setImmediate(resolve))

/** Turns that record their current holders; each runs until `letGo`. */
function watched(turns: Turns) {
  const begun: string[] = []
  const held: { name: string; turn: Turn; letGo(): void }[] = []
  return {
    begun,
    held,
    ask(name: string, signal?: AbortSignal) {
      const { promise, resolve } = Promise.withResolvers<void>()
      const work = async (turn: Turn) => {
        const entry = { name, letGo: resolve, turn }
        held.push(entry)
        begun.push(name)
        await promise
        held.splice(held.indexOf(entry), 1)
      }
      return turns.run(name, work, signal)
    },
    async letGo(name: string) {
      held.find((one) => one.name === name)!.letGo()
      await tick()
    },
  }
}

test('owners take turns, however many of one of them wait', async () => {
  const { begun, held, ask } = watched(new Turns({ places: 1 }))
  const all = [...Array(5)].map(() => ask('ada'))
  all.push(ask('eve'), ask('bob'), ask('eve'))
  await tick()
  while (held.length > 0) {
    held[0]!.letGo()
    await tick()
  }
  await Promise.all(all)
  expect(begun).toEqual(['ada', 'ada', 'eve', 'bob', 'ada', 'eve', 'ada', 'ada'])
})

test('the owner with fewer running tasks comes first', async () => {
  const { begun, ask, letGo } = watched(new Turns({ places: 3 }))
  for (const name of ['ada', 'ada', 'bob', 'ada', 'eve']) void ask(name)
  await tick()
  await letGo('bob')
  expect(begun).toEqual(['ada', 'ada', 'bob', 'eve'])
})

test('the last place is for an owner without running tasks', async () => {
  const { begun, ask } = watched(new Turns({ places: 3, keepsOne: true }))
  for (const name of ['ada', 'ada', 'ada', 'eve', 'eve']) void ask(name)
  await tick()
  expect(begun).toEqual(['ada', 'ada', 'eve'])
})

test('an owner with a costly turn has no other begun while others wait', async () => {
  const { begun, held, ask, letGo } = watched(new Turns({ places: 2 }))
  void ask('ada')
  void ask('bob')
  await tick()
  held[0]!.turn.isCostly = true
  for (const name of ['ada', 'eve', 'eve']) void ask(name)
  await letGo('bob')
  await letGo('eve')
  expect(begun).toEqual(['ada', 'bob', 'eve', 'eve'])
  await letGo('eve')
  expect(begun).toEqual(['ada', 'bob', 'eve', 'eve', 'ada'])
})

test('a slowed owner has one place at a time', async () => {
  const { begun, ask, letGo } = watched(new Turns({ places: 3, isSlowed: (owner) => owner === 'eve' }))
  for (const name of ['eve', 'eve', 'ada', 'ada']) void ask(name)
  await tick()
  expect(begun).toEqual(['eve', 'ada', 'ada'])
  await letGo('eve')
  expect(begun).toEqual(['eve', 'ada', 'ada', 'eve'])
})

test('an aborted request for a turn stops waiting and gets none', async () => {
  const { begun, ask, letGo } = watched(new Turns({ places: 1 }))
  void ask('ada')
  const leaving = new AbortController()
  const left = ask('eve', leaving.signal)
  void ask('bob')
  leaving.abort(new Error('left'))
  await expect(left).rejects.toThrow('left')
  await expect(ask('eve', leaving.signal)).rejects.toThrow('left')
  await letGo('ada')
  expect(begun).toEqual(['ada', 'bob'])
})

test('work that fails gives its place back', async () => {
  const turns = new Turns({ places: 1 })
  for (let i = 0; i < 3; i++)
    await expect(turns.run('ada', () => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await turns.run('eve', async () => 'done')).toBe('done')
})

test('it closes when what is under way has ended, and refuses what waits', async () => {
  const turns = new Turns({ places: 1 })
  const { ask, letGo } = watched(turns)
  const first = ask('ada')
  const waiting = ask('eve')
  const refused = expect(waiting).rejects.toThrow('stopped')
  let isClosed = false
  const closed = turns.close().then(() => {
    isClosed = true
  })
  await refused
  await expect(ask('bob')).rejects.toThrow('stopped')
  expect(isClosed).toBe(false)
  await letGo('ada')
  await Promise.all([first, closed, turns.close()])
})

/** Turns with a clock of their own. */
function timed(options: Partial<TurnsOptions> = {}) {
  const clock = { now: 0 }
  const timing = { slowedAfter: 3_000, cutAfter: 3_000 }
  const turns = new Turns({ places: 2, keepsOne: true, timing, now: () => clock.now, ...options })
  const begun: string[] = []
  const letGo = new Map<string, () => void>()
  const ask = (name: string, more: { isLong?: boolean; key?: string } = {}) =>
    turns.run(
      name,
      ({ signal }) =>
        new Promise<void>((resolve, reject) => {
          begun.push(name)
          letGo.set(name, resolve)
          signal.addEventListener('abort', () => reject(signal.reason))
        }),
      undefined,
      more,
    )
  return { clock, turns, begun, letGo, ask }
}
const looksForTurnsToCut = () => new Promise((resolve) => setTimeout(resolve, 450))

test('no owner keeps all places for longer than the limit while one waits that used much less', async () => {
  const { clock, begun, letGo, ask } = timed()
  const [first, second] = [ask('eve'), ask('bob')]
  await looksForTurnsToCut()
  clock.now = 100_000
  // Both go on as long as no other owner waits.
  expect(begun).toEqual(['eve', 'bob'])
  const third = ask('ada')
  await looksForTurnsToCut()
  expect(begun).toEqual(['eve', 'bob', 'ada'])
  // A caller who used much waits for the place that others leave it, and cuts no turn.
  clock.now = 104_000
  await looksForTurnsToCut()
  expect(begun).toHaveLength(3)
  letGo.get('ada')!()
  await third
  await looksForTurnsToCut()
  // The last place stays free for owners who used little.
  expect(begun).toHaveLength(3)
  const fourth = ask('dan')
  await tick()
  expect(begun[3]).toBe('dan')
  letGo.get('dan')!()
  letGo.get('bob')!()
  await Promise.all([fourth, second])
  expect(begun).toEqual(['eve', 'bob', 'ada', 'dan', 'eve'])
  letGo.get('eve')!()
  await first
})

test('a task that is cut again fails', async () => {
  const { clock, begun, letGo, ask } = timed({ places: 1 })
  const long = ask('eve')
  const failed = expect(long).rejects.toThrow(TurnCutError)
  for (const name of ['ada', 'bob']) {
    await tick()
    clock.now += 5_000
    const short = ask(name)
    await looksForTurnsToCut()
    letGo.get(name)!()
    await short
  }
  await failed
  expect(begun).toEqual(['eve', 'ada', 'eve', 'bob'])
})

test('long tasks leave a place to short ones, and those of owners who used much another', async () => {
  const { clock, begun, letGo, ask } = timed({ places: 3 })
  const once = ask('eve')
  await tick()
  clock.now = 4_000
  letGo.get('eve')!()
  await once
  const all = [ask('eve', { isLong: true }), ask('eve', { isLong: true }), ask('ada', { isLong: true })]
  all.push(ask('bob', { isLong: true }), ask('dan'))
  await tick()
  expect(begun).toEqual(['eve', 'eve', 'ada', 'dan'])
})

test('an owner who needs what another one waits for lends it the sooner turn', async () => {
  const { clock, turns, begun, letGo, ask } = timed({ places: 1 })
  const used = ask('eve')
  await tick()
  clock.now = 2_000
  letGo.get('eve')!()
  await used
  const first = ask('dan')
  await tick()
  void ask('eve', { key: 'file' })
  clock.now = 2_500
  void ask('bob')
  turns.adopt('file', 'ada')
  letGo.get('dan')!()
  await first
  await tick()
  expect(begun).toEqual(['eve', 'dan', 'bob'])
  letGo.get('bob')!()
  await tick()
  await tick()
  expect(begun).toEqual(['eve', 'dan', 'bob', 'eve'])
})
