/** Encodings of files that are not UTF-8: certain where the words can be told apart, and asked about where they cannot. */
import { describe, expect, test } from 'vitest'
import { inferTable, openTable, sourceOf, TableError } from './index.ts'

/** Encodes by search: `TextEncoder` writes UTF-8 alone. */
function encoded(text: string, encoding: string): Uint8Array<ArrayBuffer> {
  const bytes = new Map<string, number[]>()
  const decoder = new TextDecoder(encoding)
  const add = (...some: number[]) => {
    const one = decoder.decode(new Uint8Array(some))
    if (!bytes.has(one)) bytes.set(one, some)
  }
  for (let first = 0; first < 256; first++) add(first)
  const isOfOneByte = /^(?:windows|koi8|ibm)/.test(encoding)
  for (let first = 0x81; first < 255 && !isOfOneByte; first++)
    for (let second = 0x40; second < 255; second++) add(first, second)
  return new Uint8Array(Array.from(text, (one) => bytes.get(one)!).flat())
}
const open = (text: string, encoding: string) =>
  openTable(sourceOf(new File([encoded(text, encoding)], 'a.csv')))

describe('told apart', () => {
  test.each([
    'id,name\n1,Café\n2,Genève\n',
    'id,name\n1,München\n2,Groß\n3,Übersee\n',
    'id,name\n1,São Paulo\n2,Málaga\n3,København\n4,Ñuñoa\n5,Reykjavík\n6,Alþingi\n7,Vallès\n8,Forlì\n',
    'id,price\n1,5 €\n2,12 °C\n3,“quoted”\n4,don’t\n',
    'id,name\n1,Corrèze\n2,Hérault\n3,Côte-d’Or\n4,Rhône\n',
  ])('%j is Windows-1252', async (text) => {
    const table = await open(text, 'windows-1252')
    expect(table.detected.encoding).toBe('windows-1252')
    expect(table.notes.map(({ option, isUncertain }) => [option, isUncertain])).toEqual([['encoding', false]])
  })
})

describe('asked about, with all names', () => {
  test.each([
    ['код,город\n1,Москва\n2,Казань\n', 'windows-1251'],
    ['id,city\n1,Москва\n', 'windows-1251'],
    ['id,city\n1,да\n', 'windows-1251'],
    ['код,город\n1,Москва\n2,Казань\n', 'koi8-r'],
    ['код,город\n1,Москва\n2,Казань\n', 'ibm866'],
    ['id,πόλη\n1,Αθήνα\n2,Πάτρα\n', 'windows-1253'],
    ['id,miasto\n1,Łódź\n2,Kraków\n', 'windows-1250'],
    ['id,město\n1,České Budějovice\n2,Příbram\n', 'windows-1250'],
    ['id,város\n1,Győr\n2,Pécs\n', 'windows-1250'],
    ['id,oraș\n1,Bacău\n2,Brăila\n', 'windows-1250'],
    ['id,il\n1,Gümüşhane\n2,Beşiktaş\n', 'windows-1254'],
    ['id,城市\n1,北京\n2,上海\n', 'gb18030'],
    ['id,城市\n1,臺北\n2,高雄\n', 'big5'],
    ['id,都市\n1,東京\n2,さいたま\n', 'shift_jis'],
    ['id,都市\n1,東京\n2,さいたま\n', 'euc-jp'],
    ['id,도시\n1,서울\n2,부산\n', 'euc-kr'],
  ])('%j in %s', async (text, encoding) => {
    const decoded = text.replace('oraș', 'oraş')
    const table = await open(decoded, encoding)
    const [note] = table.notes.filter(({ isUncertain }) => isUncertain)
    const named = note?.choices.map(({ options }) => options.encoding)
    expect(named).toContain(encoding)
    // The first is the one in use.
    expect(named?.[0]).toBe(table.detected.encoding)
    expect(note?.sentence).toContain('does not say its encoding')
    const again = await openTable(sourceOf(new File([encoded(decoded, encoding)], 'a.csv')), { encoding })
    expect(again.notes.filter(({ isUncertain }) => isUncertain)).toEqual([])
    expect(again.columns).toEqual(decoded.split('\n')[0]!.split(','))
  })

  test('a file that is UTF-8 but for a byte is refused with all names', async () => {
    const bytes = [...new TextEncoder().encode('id,name\n1,äöüäöü\n2,'), 0xe9, 10]
    const refused = await openTable(sourceOf(new File([new Uint8Array(bytes)], 'a.csv'))).catch((one) => one)
    expect(refused).toBeInstanceOf(TableError)
    expect(refused.line).toBe(3)
    expect(refused.choices.length).toBeGreaterThan(10)
  })
})

test('names of columns are those of the encoding in use', async () => {
  const table = await open('код,город\n1,Москва\n2,Казань\n', 'windows-1251')
  expect((await inferTable(table)).columns.map(({ name }) => name)).toEqual(['код', 'город'])
})
