/**
 * Examples for the API's description: a collection `ada/cities` and its first two versions. Sent as pushes in their order to a registry
 * that has only the account `ada`, they work as written; a test of the server does so.
 */

/** A file and its hash. Each hash in this file belongs to a record or text beside it: change both together. */
export const exampleFile = {
  text: 'A map of Oslo\n',
  hash: 'sha256:fdc4d6fda4e250b10ce9981cac56b09d83b993d736ea595a001ea9ac1f69980a',
}

export const exampleSchemas = {
  City: {
    type: 'object',
    properties: {
      name: { type: 'string' },
      country: { type: 'string', pattern: '^[A-Z]{3}$' },
      latitude: { type: 'number', minimum: -90, maximum: 90 },
      longitude: { type: 'number', minimum: -180, maximum: 180 },
      map: { type: 'object' },
    },
    required: ['name', 'country', 'latitude', 'longitude'],
  },
  Country: {
    type: 'object',
    properties: { name: { type: 'string' }, cca2: { type: 'string', pattern: '^[A-Z]{2}$' } },
    required: ['name', 'cca2'],
  },
}

const norway = { id: 'NOR', type: 'Country', data: { name: 'Norway', cca2: 'NO' } }
const oslo = {
  id: 'oslo',
  type: 'City',
  data: {
    name: 'Oslo',
    country: 'NOR',
    latitude: 59.91273,
    longitude: 10.74609,
    map: { $file: exampleFile.hash },
  },
}
const sweden = { id: 'SWE', type: 'Country', data: { name: 'Sweden', cca2: 'SE' } }
const stockholm = {
  id: 'stockholm',
  type: 'City',
  data: { name: 'Stockholm', country: 'SWE', latitude: 59.32938, longitude: 18.06871 },
}

/** Lines of the first version, a delta. */
export const exampleRecords = [norway, oslo]
export const exampleDeletes = [
  { id: 'ATL', type: 'Country' },
  { id: 'atlantis', type: 'City' },
]

const entryOf = ({ id, type }: { id: string; type: string }, hash: string) => ({ id, type, hash })
const norwayHash = '86953df149f3ac9b589711704c729068377d92e4a7f81c9c462f8c7ad2a36253'
const osloHash = '38b09af5008eeddae464e3eca845c390d1287218417f8e40243d105b7a79e3d9'
const swedenHash = 'ab04a35c2c9aebb8b8b03c2a23ca881a2fbe3d76ded81a0fe5f32c536fd8ffbb'
const stockholmHash = '7bd5211624b0d8e43c5b776919ddd02c8b0155dbf3cc5baf5bf40557686e714a'

/** The second version, a snapshot: its manifest, and the lines that the first version lacks. */
export const exampleManifest = [
  entryOf(norway, norwayHash),
  entryOf(oslo, osloHash),
  entryOf(sweden, swedenHash),
  entryOf(stockholm, stockholmHash),
]
export const exampleNeeded = [stockholmHash, swedenHash]
export const exampleSnapshotRecords = [sweden, stockholm]

/** Records that the second version adds, with hashes. */
export const exampleAdded = [
  { ...stockholm, hash: stockholmHash },
  { ...sweden, hash: swedenHash },
]

/** Answer for a single record. */
export const exampleRecord = { ...norway, hash: norwayHash }

/** Assigned by the registry, so real values differ. */
export const exampleId = '0198c9a0-0000-7000-8000-000000000000'
export const exampleInstant = '2026-01-15T00:00:00.000Z'
export const exampleUser = {
  id: exampleId,
  slug: 'ada',
  type: 'user',
  displayName: 'Ada Lovelace',
  createdAt: exampleInstant,
}
export const exampleDigest = 'private:5f1d3c0e9a7b48263d15c4f0b8e29a761c3d5e7f9b0a2c4d6e8f1a3b5c7d9e0f'
export const exampleMetadata = {
  description: 'Cities and the countries that they are in.',
  license: 'CC-BY-4.0',
  keywords: ['Geography'],
}

/** base64url of the JCS of `["Country","NOR"]`. */
export const examplePlace = 'WyJDb3VudHJ5IiwiTk9SIl0'
