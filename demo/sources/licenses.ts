/** The SPDX licenses with their full texts. */
import { nameFile } from '@ulmus/client'
import type { RecordLine } from '@ulmus/wire'
import spdx from 'spdx-license-list/full.js'
import { objectOf, type Source, text } from './source.ts'

const license = {
  title: 'License',
  ...objectOf(
    {
      name: text,
      url: { type: 'string', format: 'uri' },
      osiApproved: { type: 'boolean' },
      text: { ...text, description: 'The full license text' },
      words: { type: 'integer', minimum: 0, description: 'Words of the text, where they have been counted' },
    },
    ['name', 'osiApproved', 'text'],
  ),
}

const readme = `# SPDX licenses

The licenses of the [SPDX License List](https://spdx.org/licenses/) with their full texts. The id of a record is the SPDX
identifier, as package manifests write it.

Source: [sindresorhus/spdx-license-list](https://github.com/sindresorhus/spdx-license-list), CC0-1.0.
`

const licenses = Object.entries(spdx).map(([id, one]) => ({ id, ...one }))

function lineOf(
  { id, name, url, osiApproved, licenseText }: (typeof licenses)[number],
  words?: number,
): RecordLine {
  // Three licenses have no page of their own. JSON has no undefined, so omit the member.
  const data = {
    name,
    osiApproved,
    text: licenseText,
    ...(url ? { url } : {}),
    ...(words === undefined ? {} : { words }),
  }
  return { id, type: 'License', data }
}

/** Number of licenses whose words are counted in each new version. */
const countedAVersion = 25

export const licensesSource: Source = {
  slug: 'spdx-licenses',
  name: 'SPDX licenses',
  public: true,
  schemas: { License: license },
  metadata: {
    description: 'Every license of the SPDX License List with its full text.',
    readme,
    license: 'CC0-1.0',
    attribution: 'SPDX workgroup, a Linux Foundation collaborative project',
    source: 'https://spdx.org/licenses/',
  },
  records: () => licenses.map((one) => lineOf(one)),
  changes: async (versions) => {
    const from = ((versions - 1) * countedAVersion) % licenses.length
    const chosen = licenses.slice(from, from + countedAVersion)
    const count = (of: string) => of.split(/\s+/).filter((word) => word !== '').length
    const note = new TextEncoder().encode(
      `Words are runs of characters other than white space. Counted: ${versions}.\n`,
    )
    return {
      message: `Word counts of ${chosen.length} licenses`,
      records: chosen.map((one) => lineOf(one, count(one.licenseText))),
      files: [await nameFile({ bytes: note, contentType: 'text/plain; charset=utf-8' })],
    }
  },
}
