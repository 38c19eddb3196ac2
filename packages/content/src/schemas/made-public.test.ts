import { describe, expect, test } from 'vitest'
import type { Json } from '../json/json.ts'
import { formerlyPrivate, madePublic } from './made-public.ts'

const map = (schemas: Record<string, Json>) => new Map(Object.entries(schemas))
/** A schema with the fields of `names`; `!` before a name marks it private. */
const of = (...names: string[]): Json => ({
  properties: Object.fromEntries(
    names.map((name) => (name.startsWith('!') ? [name.slice(1), { private: true }] : [name, {}])),
  ),
})
const grants = of('title', '!Case officer')
const hidden = { ...(of('name', 'salary', '!tax') as object), private: true } as Json
const open = of('name')

describe('names that become public', () => {
  const officer = (type: string, field = 'Case officer') => ({ type, field, privateIn: ['Grants'] })
  test.each<[string, Record<string, Json>, Record<string, Json>, unknown[]]>([
    ['nothing, where marks stay', { Grants: grants }, { Grants: grants, Other: of('x') }, []],
    ['nothing, in a private type', { Grants: grants }, { S: hidden, T: { private: true } }, []],
    ['a field that loses its mark', { Grants: grants }, { Grants: of('Case officer') }, [officer('Grants')]],
    [
      'a field of a new type',
      { Grants: grants },
      { Grants: grants, G2: of('Case officer') },
      [officer('G2')],
    ],
    [
      'a field that an old type gets',
      { Grants: grants, A: of('a') },
      { A: of('Case officer') },
      [officer('A')],
    ],
    [
      'a name spelt otherwise',
      { Grants: grants },
      { G2: of('case_officer') },
      [officer('G2', 'case_officer')],
    ],
    [
      'nothing that was public there',
      { Grants: grants, A: of('Case officer') },
      { A: of('Case officer') },
      [],
    ],
    [
      'whatever an open type has',
      { Grants: grants },
      { Grants: true, G2: {} },
      [officer('Grants'), officer('G2')],
    ],
    [
      'nothing of a type that was open',
      { Grants: grants, A: {} },
      { A: of('Case officer'), Grants: grants },
      [],
    ],
    [
      'a type whose name is spelt otherwise, but for one that was there',
      { 'Pay-Roll': hidden },
      { 'Pay-Roll': hidden, payroll: of('note') },
      [{ type: 'payroll', privateIn: ['Pay-Roll'] }],
    ],
    [
      'nothing of a public type of much the same name',
      { Payroll: hidden, 'pay-roll': open },
      { Payroll: hidden, 'pay-roll': open },
      [],
    ],
    [
      'a type, and its marked field',
      { S: hidden },
      { S: of('name', 'salary', 'tax') },
      [
        { type: 'S', privateIn: ['S'] },
        { type: 'S', field: 'tax', privateIn: ['S'] },
      ],
    ],
    [
      'a private type’s field elsewhere',
      { S: hidden },
      { T: of('salary') },
      [{ type: 'T', field: 'salary', privateIn: ['S'] }],
    ],
    ['nothing whose name is public', { S: hidden, Open: open }, { S: hidden, Open: open, T: of('name') }, []],
    [
      'no more of an open type than marked fields',
      { S: hidden },
      { S: hidden, T: true },
      [{ type: 'T', field: 'tax', privateIn: ['S'] }],
    ],
    [
      'names of prototypes',
      { A: of('!constructor') },
      { B: of('toString'), C: of('constructor') },
      [{ type: 'C', field: 'constructor', privateIn: ['A'] }],
    ],
  ])('%s', (_name, base, next, made) => {
    expect(madePublic(map(base), map(next))).toEqual(made)
  })
})

describe('names that are remembered', () => {
  test('a field that is dropped and comes back in public must be confirmed', () => {
    for (const dropped of [{ Grants: of('title') }, {}, { Other: of('x') }] as Record<string, Json>[]) {
      const former = formerlyPrivate(map({ Grants: grants }), map(dropped))
      expect(former).toEqual([{ type: 'Grants', field: 'Case officer' }])
      // Later versions remember it as well.
      expect(formerlyPrivate(map(dropped), map(dropped), former)).toEqual(former)
      const made = madePublic(map(dropped), map({ Grants: of('title', 'Case officer') }), former)
      expect(made).toEqual([{ type: 'Grants', field: 'Case officer', privateIn: ['Grants'] }])
    }
  })

  test('a private type that is dropped, with its fields', () => {
    const former = formerlyPrivate(map({ S: hidden }), map({ Open: open }))
    expect(former).toEqual([
      { type: 'S', field: 'tax' },
      { type: 'S' },
      { type: 'S', field: 'salary', byType: true },
    ])
    expect(madePublic(map({ Open: open }), map({ S: of('salary', 'tax'), T: of('salary') }), former)).toEqual(
      [
        { type: 'S', privateIn: ['S'] },
        { type: 'S', field: 'tax', privateIn: ['S'] },
        { type: 'T', field: 'salary', privateIn: ['S'] },
      ],
    )
  })

  test('nothing that is private still, or has become public where it was private', () => {
    const base = map({ Grants: grants })
    expect(formerlyPrivate(base, base)).toEqual([])
    expect(formerlyPrivate(base, map({ Else: of('!Case officer') }))).toEqual([])
    expect(formerlyPrivate(base, map({ Grants: of('Case officer') }))).toEqual([])
    expect(formerlyPrivate(map({ S: hidden }), map({ S: of('salary', 'tax', 'name') }))).toEqual([])
    expect(formerlyPrivate(map({ A: of('a') }), map({}))).toEqual([])
  })

  test('a bounded number of names: the oldest go', () => {
    const name = (n: number) => `${n}`.padStart(8, '0').repeat(1_000)
    let former = formerlyPrivate(map({ A: of(`!${name(0)}`) }), map({}))
    for (let n = 1; n < 20; n++) former = formerlyPrivate(map({ A: of(`!${name(n)}`) }), map({}), former)
    expect(former.map(({ field }) => field)).toEqual([12, 13, 14, 15, 16, 17, 18, 19].map(name))
  })
})
