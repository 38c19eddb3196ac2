/** Invented weather stations: a public collection with a private field, a private type and a private record. */
import type { RecordLine } from '@ulmus/wire'
import { objectOf, type Source, text } from './source.ts'

const station = {
  title: 'Station',
  ...objectOf(
    {
      name: text,
      elevation: { type: 'number', description: 'Metres above sea level' },
      keeperEmail: { type: 'string', format: 'email', private: true },
    },
    ['name', 'elevation'],
  ),
}

const visit = {
  title: 'Visit',
  private: true,
  ...objectOf(
    { station: { ...text, 'x-ref-type': 'Station' }, on: { type: 'string', format: 'date' }, found: text },
    ['station', 'on'],
  ),
}

const readme = `# Weather stations

An example of privacy: the field \`keeperEmail\`, the type \`Visit\` and the record \`hilltop\` are for members of the owner
only. Everyone else reads a view that never held them, with a digest of its own.
`

/** Texts that must not appear in the public view. */
export const privateTexts = ['keeper@example.org', 'keeperEmail', 'hilltop', 'a broken gauge']

const records: RecordLine[] = [
  {
    id: 'harbour',
    type: 'Station',
    data: { name: 'Harbour', elevation: 3, keeperEmail: 'keeper@example.org' },
  },
  { id: 'meadow', type: 'Station', data: { name: 'Meadow', elevation: 212 } },
  { id: 'hilltop', type: 'Station', data: { name: 'hilltop, not yet built', elevation: 871 }, private: true },
  { id: '2026-01', type: 'Visit', data: { station: 'harbour', on: '2026-01-15', found: 'a broken gauge' } },
]

export const stationsSource: Source = {
  slug: 'stations',
  name: 'Weather stations',
  public: true,
  schemas: { Station: station, Visit: visit },
  metadata: { description: 'Invented weather stations, partly private.', readme, license: 'CC0-1.0' },
  records: () => records,
  changes: async (versions) => {
    const added = {
      id: `field-${versions}`,
      type: 'Station',
      data: { name: `Field ${versions}`, elevation: 100 + versions },
    }
    const visited = { id: `visit-${versions}`, type: 'Visit', data: { station: added.id, on: '2026-02-01' } }
    const deletes = versions > 1 ? [{ id: `field-${versions - 1}`, type: 'Station' }] : []
    return {
      message: `A station in field ${versions}, and a visit to it`,
      records: [added, visited],
      deletes,
    }
  },
}
