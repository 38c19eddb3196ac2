/** Invented sheets of an unpublished atlas: a private collection, which a collaborator reads. */
import type { RecordLine } from '@ulmus/wire'
import { objectOf, type Source, text } from './source.ts'

const sheet = {
  title: 'Sheet',
  ...objectOf(
    {
      title: text,
      scale: { type: 'integer', minimum: 1, description: 'The scale is 1 to this number' },
      engraved: { type: 'boolean' },
    },
    ['title', 'scale', 'engraved'],
  ),
}

const records: RecordLine[] = [
  { id: 'europe', type: 'Sheet', data: { title: 'Europe', scale: 9_000_000, engraved: true } },
  { id: 'flanders', type: 'Sheet', data: { title: 'Flanders', scale: 170_000, engraved: true } },
  { id: 'iceland', type: 'Sheet', data: { title: 'Iceland', scale: 1_500_000, engraved: false } },
]

export const sheetsSource: Source = {
  slug: 'sheets',
  name: 'Sheets of the next atlas',
  public: false,
  schemas: { Sheet: sheet },
  metadata: { description: 'Invented sheets of an atlas that is not published yet.', license: 'CC0-1.0' },
  records: () => records,
  changes: async (versions) => ({
    message: `Sheet ${versions}`,
    records: [
      {
        id: `sheet-${versions}`,
        type: 'Sheet',
        data: { title: `Sheet ${versions}`, scale: 1_000_000, engraved: false },
      },
    ],
  }),
}
