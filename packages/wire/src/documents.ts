/** Shapes of documents that other standards define. */
import type { z } from 'zod'
import { exampleInstant, exampleMetadata } from './examples.ts'
import { AnyObject } from './json.ts'

const examplePage = 'https://registry.example/ada/cities/v/v1.0.0'

/** `GET …/versions/:v/datapackage.json` */
export const DataPackage = AnyObject.meta({
  id: 'DataPackage',
  description: 'Descriptor of a Data Package 2.0, https://datapackage.org/standard/data-package/.',
  examples: [
    {
      $schema: 'https://datapackage.org/profiles/2.0/datapackage.json',
      name: 'cities',
      id: examplePage,
      title: 'cities',
      description: exampleMetadata.description,
      homepage: examplePage,
      version: '1.0.0',
      created: exampleInstant,
      contributors: [{ title: 'Ada Lovelace', roles: ['creator'] }],
      resources: [],
    },
  ],
})
export type DataPackage = z.infer<typeof DataPackage>
