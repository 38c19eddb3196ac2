/** The world's countries: 250 nested records, with outlines as files. */
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { nameFile } from '@ulmus/client'
import type { JsonObject } from '@ulmus/content'
import type { RecordLine } from '@ulmus/wire'
import countries from 'world-countries/countries.json' with { type: 'json' }
import { fileReference, objectOf, plain, type Source, text } from './source.ts'

const officialAndCommon = objectOf({ official: { type: 'string' }, common: text }, ['official', 'common'])
const byLanguage = (item: JsonObject): JsonObject => ({ type: 'object', additionalProperties: item })
const texts: JsonObject = { type: 'array', items: text }

const country = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  title: 'Country',
  ...objectOf(
    {
      name: objectOf({ common: text, official: text, native: byLanguage(officialAndCommon) }, [
        'common',
        'official',
        'native',
      ]),
      tld: texts,
      cca2: { type: 'string', pattern: '^[A-Z]{2}$', description: 'ISO 3166-1 alpha-2' },
      ccn3: { type: 'string', pattern: '^([0-9]{3})?$', description: 'ISO 3166-1 numeric' },
      cca3: {
        type: 'string',
        pattern: '^[A-Z]{3}$',
        description: 'ISO 3166-1 alpha-3, the id of the record',
      },
      cioc: { type: 'string' },
      independent: { type: ['boolean', 'null'] },
      status: { enum: ['officially-assigned', 'user-assigned'] },
      unMember: { type: 'boolean' },
      unRegionalGroup: { type: 'string' },
      currencies: byLanguage(objectOf({ name: text, symbol: { type: 'string' } }, ['name', 'symbol'])),
      idd: objectOf({ root: { type: 'string' }, suffixes: { type: 'array', items: { type: 'string' } } }, [
        'root',
      ]),
      capital: texts,
      altSpellings: texts,
      region: text,
      subregion: { type: 'string' },
      languages: byLanguage(text),
      translations: byLanguage(officialAndCommon),
      latlng: { type: 'array', items: { type: 'number' }, minItems: 2, maxItems: 2 },
      landlocked: { type: 'boolean' },
      borders: { type: 'array', items: { type: 'string', 'x-ref-type': 'Country' } },
      area: { type: 'number', description: 'Square kilometres; negative when it is not known' },
      flag: { type: 'string' },
      demonyms: byLanguage(objectOf({ f: { type: 'string' }, m: { type: 'string' } }, ['f', 'm'])),
      outline: { ...fileReference, description: 'The borders as GeoJSON' },
    },
    ['name', 'cca2', 'cca3', 'region', 'latlng', 'area', 'borders'],
  ),
}

const readme = `# Countries of the world

Every country and dependent territory of ISO 3166-1 with its names in many languages, currencies, borders and position.
The id of a record is its alpha-3 code; \`borders\` holds ids of other records.

The largest countries come with an \`outline\`, a GeoJSON file: follow its \`$file\`.

Source: [mledoze/countries](https://github.com/mledoze/countries), by Mohammed Le Doze and contributors.
`

/** Number of countries that get an outline in each new version, largest first. */
const outlinesAVersion = 10

const byArea = countries.toSorted((a, b) => b.area - a.area)

const lineOf = (one: (typeof countries)[number]): RecordLine => ({
  id: one.cca3,
  type: 'Country',
  data: plain(one),
})

export const countriesSource: Source = {
  slug: 'countries',
  name: 'Countries of the world',
  public: true,
  schemas: { Country: country },
  metadata: {
    description: 'All countries of ISO 3166-1: names, codes, currencies, languages, borders.',
    readme,
    license: 'ODbL-1.0',
    attribution: 'mledoze/countries, by Mohammed Le Doze and contributors',
    source: 'https://github.com/mledoze/countries',
  },
  records: () => countries.map(lineOf),
  changes: async (versions) => {
    const from = ((versions - 1) * outlinesAVersion) % byArea.length
    const chosen = byArea.slice(from, from + outlinesAVersion)
    const files = await Promise.all(chosen.map((one) => outlineOf(one.cca3)))
    const records = chosen.map((one, index): RecordLine => {
      const line = lineOf(one)
      return { ...line, data: { ...plain(line.data), outline: { $file: files[index]!.hash } } }
    })
    return {
      message: `Outlines of ${chosen.length} countries, from ${chosen[0]!.name.common}`,
      records,
      files,
    }
  },
}

async function outlineOf(cca3: string) {
  const folder = import.meta.resolve('world-countries/package.json')
  const path = fileURLToPath(new URL(`./data/${cca3.toLowerCase()}.geo.json`, folder))
  return nameFile({ bytes: new Uint8Array(await readFile(path)), contentType: 'application/geo+json' })
}
