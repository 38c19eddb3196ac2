import { expect, test } from 'vitest'
import { projectionFor } from './centre.ts'

const at = (...places: (readonly [longitude: number, latitude: number])[]) =>
  projectionFor(places.map(([x, y]) => ({ west: x, east: x, south: y, north: y })))

test.each([
  ['a place', [[10.7, 59.9]], { kind: 'local', longitude: 10.7, latitude: 59.9 }],
  [
    'Fiji',
    [
      [177, -18],
      [-179, -18],
    ],
    { kind: 'local', longitude: 179, latitude: expect.closeTo(-18, 1) },
  ],
  [
    'Chukotka',
    [
      [160, 66],
      [-170, 66],
    ],
    { kind: 'local', longitude: 175 },
  ],
  [
    'the South Pole',
    [
      [0, -80],
      [120, -80],
      [-120, -80],
    ],
    { kind: 'local', latitude: -90 },
  ],
  ['the pole itself', [[0, 90]], { kind: 'local', latitude: 90 }],
  [
    'the world',
    [
      [-100, 40],
      [0, 0],
      [100, 30],
      [150, -30],
    ],
    { kind: 'world', longitude: 0 },
  ],
  [
    'both sides of the globe',
    [
      [0, 0],
      [180, 0],
    ],
    { kind: 'world' },
  ],
  [
    'both poles',
    [
      [0, 90],
      [0, -90],
    ],
    { kind: 'world' },
  ],
  [
    'the shores of the Pacific',
    [
      [140, 36],
      [175, -40],
      [-122, 37],
      [-71, -30],
    ],
    { kind: 'world', longitude: -145 },
  ],
] as const)('%s', (_, places, expected) => {
  expect(at(...places)).toMatchObject(expected)
})

test('a crowd does not move the centre', () => {
  const crowd = { west: 10, east: 10, south: 50, north: 50 }
  expect(projectionFor([crowd, { west: 30, east: 30, south: 50, north: 50 }])).toMatchObject({
    longitude: 20,
  })
})
