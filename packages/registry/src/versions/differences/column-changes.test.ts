import { columnChanges } from '@ulmus/content'
import { describe, expect, test } from 'vitest'
import { changedCells } from './column-changes.ts'

const linesOf = (...pairs: readonly (readonly [unknown, unknown])[]) =>
  Buffer.from(
    pairs
      .flat()
      .map((data) => JSON.stringify({ id: 'a\nb', type: 'T', data }))
      .join('\n'),
  )

describe('columnChanges', () => {
  test.each([
    ['equal values', { a: 1, b: [1] }, { a: 1, b: [1] }, []],
    ['members', { a: 1, b: 2 }, { b: 3, c: null }, ['a', 'b', 'c']],
    ['members of objects', { a: { x: 1, y: 2 } }, { a: { x: 1, y: 3 } }, ['a.y']],
    ['an object that comes', {}, { a: { x: 1, y: { z: 2 } } }, ['a.x', 'a.y.z']],
    ['an empty object that goes', { a: {} }, {}, ['a']],
    ['an object and another value', { a: { x: 1 } }, { a: null }, ['a']],
    ['lists, which are whole', { a: [{ x: 1 }] }, { a: [{ x: 2 }] }, ['a']],
    ['files, which are whole', { a: { $file: 'x', n: 1 } }, { a: { $file: 'y', n: 2 } }, ['a']],
    [
      'deep objects, which are whole',
      { a: { b: { c: { d: 1 } } } },
      { a: { b: { c: { d: 2 } } } },
      ['a.b.c'],
    ],
    ['names of every object', { constructor: 1 }, { toString: 2 }, ['constructor', 'toString']],
    ['data that are no objects', 'text', { a: 1 }, ['']],
  ])('names %s', (_, was, is, expected) => {
    expect(columnChanges(was, is).map(({ names }) => names.join('.'))).toEqual(expected)
  })
})

test('null and absent values are empty cells', () => {
  const cells = changedCells.run({
    lines: linesOf(
      [
        { a: 1, b: null, c: 'x' },
        { a: null, b: 2, c: 'y', d: 0 },
      ],
      [{ n: null }, {}],
      [{}, {}],
    ),
  })
  expect(cells).toEqual([
    [
      [['a'], 'emptied'],
      [['b'], 'filled'],
      [['c'], 'changed'],
      [['d'], 'filled'],
    ],
    [[['n'], 'changed']],
    [],
  ])
})
