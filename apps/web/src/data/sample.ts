/** A small collection to try a registry with: countries and their continents. Facts, written by hand; areas are rounded by their sources. */
import { type CreateCollection, OpenPush } from '@ulmus/wire'
import { checked } from '../form.ts'
import type { Visit } from '../page.ts'

export const sampleSlug = 'countries'
/** Type that the sample's page shows. */
export const sampleType = 'Country'

const collection: CreateCollection = {
  slug: sampleSlug,
  name: 'Countries (sample)',
  description: 'Fifty countries with their capitals, areas and continents.',
  public: true,
}

const opening = {
  base_version: null,
  message: 'Fifty countries and six continents',
  metadata: {
    description: collection.description,
    license: 'CC0-1.0',
    keywords: ['countries', 'geography', 'sample'],
    readme:
      'A sample: look at the records, filter them, query them with SQL, change one and compare the versions. Delete it under Settings.',
  },
  schemas: {
    Continent: {
      type: 'object',
      properties: { name: { type: 'string' } },
      required: ['name'],
      additionalProperties: false,
    },
    Country: {
      type: 'object',
      properties: {
        name: { type: 'string', propertyOrder: 1 },
        continent: { type: 'string', 'x-ref-type': 'Continent', propertyOrder: 2 },
        capital: { type: 'string', propertyOrder: 3 },
        area: { type: 'integer', description: 'Square kilometres.', propertyOrder: 4 },
        latitude: { type: 'number', description: 'Of the capital. Degrees.', propertyOrder: 5 },
        longitude: { type: 'number', description: 'Of the capital. Degrees.', propertyOrder: 6 },
      },
      required: ['name', 'continent', 'capital', 'area', 'latitude', 'longitude'],
      additionalProperties: false,
    },
  },
}

const continents = {
  ...{ africa: 'Africa', asia: 'Asia', europe: 'Europe', oceania: 'Oceania' },
  ...{ 'north-america': 'North America', 'south-america': 'South America' },
}

/** ISO 3166-1 alpha-3 code, name, capital, area in km², latitude and longitude of the capital. */
const countries: Readonly<Record<keyof typeof continents, string>> = {
  africa: `
DZA|Algeria|Algiers|2381741|36.75|3.06
EGY|Egypt|Cairo|1002450|30.04|31.24
ETH|Ethiopia|Addis Ababa|1104300|9.03|38.74
GHA|Ghana|Accra|238533|5.6|-0.19
KEN|Kenya|Nairobi|580367|-1.29|36.82
MDG|Madagascar|Antananarivo|587041|-18.88|47.51
MAR|Morocco|Rabat|446550|34.02|-6.84
NGA|Nigeria|Abuja|923768|9.06|7.49
SEN|Senegal|Dakar|196722|14.69|-17.45
ZMB|Zambia|Lusaka|752612|-15.39|28.32`,
  asia: `
CHN|China|Beijing|9596961|39.9|116.41
IND|India|New Delhi|3287263|28.61|77.21
IDN|Indonesia|Jakarta|1904569|-6.21|106.85
JPN|Japan|Tokyo|377975|35.68|139.69
KAZ|Kazakhstan|Astana|2724900|51.17|71.43
KOR|South Korea|Seoul|100210|37.57|126.98
MNG|Mongolia|Ulaanbaatar|1564116|47.89|106.91
NPL|Nepal|Kathmandu|147516|27.72|85.32
PHL|Philippines|Manila|300000|14.6|120.98
THA|Thailand|Bangkok|513120|13.76|100.5
VNM|Vietnam|Hanoi|331212|21.03|105.85`,
  europe: `
AUT|Austria|Vienna|83879|48.21|16.37
CZE|Czechia|Prague|78871|50.08|14.44
DNK|Denmark|Copenhagen|43094|55.68|12.57
FIN|Finland|Helsinki|338455|60.17|24.94
FRA|France|Paris|643801|48.86|2.35
DEU|Germany|Berlin|357588|52.52|13.4
GRC|Greece|Athens|131957|37.98|23.73
ISL|Iceland|Reykjavík|103000|64.15|-21.94
IRL|Ireland|Dublin|70273|53.35|-6.26
ITA|Italy|Rome|301340|41.9|12.5
NOR|Norway|Oslo|385207|59.91|10.75
PRT|Portugal|Lisbon|92212|38.72|-9.14
ESP|Spain|Madrid|505990|40.42|-3.7
SWE|Sweden|Stockholm|450295|59.33|18.07`,
  'north-america': `
CAN|Canada|Ottawa|9984670|45.42|-75.7
CRI|Costa Rica|San José|51100|9.93|-84.08
CUB|Cuba|Havana|109884|23.11|-82.37
MEX|Mexico|Mexico City|1964375|19.43|-99.13
USA|United States|Washington|9833517|38.91|-77.04`,
  'south-america': `
ARG|Argentina|Buenos Aires|2780400|-34.6|-58.38
BRA|Brazil|Brasília|8515767|-15.79|-47.88
CHL|Chile|Santiago|756102|-33.45|-70.67
COL|Colombia|Bogotá|1141748|4.71|-74.07
PER|Peru|Lima|1285216|-12.05|-77.04
URY|Uruguay|Montevideo|176215|-34.9|-56.16`,
  oceania: `
AUS|Australia|Canberra|7692024|-35.28|149.13
FJI|Fiji|Suva|18274|-18.14|178.44
NZL|New Zealand|Wellington|268021|-41.29|174.78
PNG|Papua New Guinea|Port Moresby|462840|-9.44|147.18`,
}

const linesOf = (): object[] => [
  ...Object.entries(continents).map(([id, name]) => ({ id, type: 'Continent', data: { name } })),
  ...Object.entries(countries).flatMap(([continent, rows]) =>
    rows
      .trim()
      .split('\n')
      .map((row) => {
        const [id, name, capital, area, latitude, longitude] = row.split('|')
        const numbers = { area: Number(area), latitude: Number(latitude), longitude: Number(longitude) }
        return { id, type: sampleType, data: { name, continent, capital, ...numbers } }
      }),
  ),
]

/**
 * Creates the sample as a public collection and publishes its first version. Removes the collection if that fails.
 * @throws the errors of the services: slug_taken if the owner has a collection of its address
 */
export async function publishSample({ registry, who }: Visit, owner: string): Promise<void> {
  await registry.collections.create(who, owner, collection)
  const path = { owner, slug: sampleSlug }
  try {
    const push = await registry.pushes.open(who, path, linesIn([opening]), (body) => checked(OpenPush, body))
    await registry.pushes.receive(who, path, push.session_id, 'records', linesIn(linesOf()))
    await registry.pushes.commit(who, path, push.session_id, { async: false })
  } catch (error) {
    await registry.collections.remove(who, path).catch(() => {})
    throw error
  }
}

async function* linesIn(values: readonly object[]): AsyncGenerator<Uint8Array> {
  yield Buffer.from(values.map((value) => `${JSON.stringify(value)}\n`).join(''))
}
