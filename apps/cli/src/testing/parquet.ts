/** Parquet file with one row: a decimal of any length, whose reading takes quadratic time. Thrift's compact protocol. */

interface Value {
  readonly type: number
  readonly bytes: readonly number[]
}

const varint = (value: number): number[] =>
  value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))]
const integer = (value: number): Value => ({ type: 5, bytes: varint(value * 2) })
const long = (value: number): Value => ({ type: 6, bytes: varint(value * 2) })
const text = (value: string): Value => ({ type: 8, bytes: [value.length, ...Buffer.from(value)] })
const list = (...items: Value[]): Value => ({
  type: 9,
  bytes: [items.length * 16 + items[0]!.type, ...items.flatMap(({ bytes }) => bytes)],
})
/** Fields by number, ascending. */
function struct(fields: Readonly<Record<number, Value>>): Value {
  let last = 0
  const bytes = Object.entries(fields).flatMap(([id, value]) => {
    const step = Number(id) - last
    last = Number(id)
    return [step * 16 + value.type, ...value.bytes]
  })
  return { type: 12, bytes: [...bytes, 0] }
}

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32LE(value)
  return bytes
}

/** https://parquet.apache.org/docs/file-format/metadata/ */
export function decimalParquet(length: number): Buffer {
  const [byteArray, decimal, required, plain, rle] = [
    integer(6),
    integer(5),
    integer(0),
    integer(0),
    integer(3),
  ]
  const value = Buffer.concat([uint32(length), Buffer.alloc(length, 1)])
  const page = struct({
    1: integer(0),
    2: integer(value.length),
    3: integer(value.length),
    5: struct({ 1: integer(1), 2: plain, 3: rle, 4: rle }),
  })
  const size = page.bytes.length + value.length
  const column = struct({
    1: byteArray,
    2: list(plain),
    3: list(text('n')),
    4: integer(0),
    5: long(1),
    6: long(size),
    7: long(size),
    9: long(4),
  })
  const metadata = struct({
    1: integer(2),
    2: list(
      struct({ 4: text('root'), 5: integer(1) }),
      struct({ 1: byteArray, 3: required, 4: text('n'), 6: decimal, 7: integer(0), 8: integer(9) }),
    ),
    3: long(1),
    4: list(struct({ 1: list(struct({ 2: long(4), 3: column })), 2: long(size), 3: long(1) })),
  })
  return Buffer.concat([
    Buffer.from('PAR1'),
    Buffer.from(page.bytes),
    value,
    Buffer.from(metadata.bytes),
    uint32(metadata.bytes.length),
    Buffer.from('PAR1'),
  ])
}
