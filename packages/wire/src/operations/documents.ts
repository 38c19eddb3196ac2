/** Operations that describe a version to other programs: Croissant, Data Package, citations. docs/reading.md. */
import { DataPackage } from '../documents.ts'
import { bytesOf, operation, type Streamed } from '../operation.ts'
import { VersionPath } from '../paths.ts'
import { TableQuery } from '../tables.ts'
import { reading } from './versions.ts'

const citation = (id: string, form: string, content: Streamed) =>
  operation({
    id,
    tag: 'versions',
    summary: `Cite a version as ${form}`,
    description: `Returns the citation of a version as ${form}. Title and creators are those of its metadata (\`title\`, \`creators\`), else the name of the collection and its owner.`,
    names: 'version',
    params: VersionPath,
    query: TableQuery,
    answers: { 200: content },
    refusals: reading,
  })

export const documentOperations = {
  'GET /api/collections/:owner/:slug/versions/:v/croissant.json': operation({
    id: 'getCroissant',
    tag: 'versions',
    summary: 'Describe a version as Croissant',
    description:
      'Returns JSON-LD of MLCommons Croissant 1.1: the facts of a version, the address of each type as CSV and Parquet, and the columns of the latter as fields. Types beyond 5,000 columns in total come without fields.',
    names: 'version',
    params: VersionPath,
    query: TableQuery,
    answers: { 200: bytesOf('application/ld+json', 'The document.') },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/datapackage.json': operation({
    id: 'getDataPackage',
    tag: 'versions',
    summary: 'Describe a version as Data Package',
    description:
      'Returns the descriptor of a Data Package 2.0: the facts of a version, and each type as a CSV resource with its Table Schema. Types beyond 5,000 columns in total come without a schema.',
    names: 'version',
    params: VersionPath,
    query: TableQuery,
    answers: { 200: DataPackage },
    refusals: reading,
  }),
  'GET /api/collections/:owner/:slug/versions/:v/citation.txt': citation(
    'getCitation',
    'text',
    bytesOf('text/plain', 'The citation.'),
  ),
  'GET /api/collections/:owner/:slug/versions/:v/citation.bib': citation(
    'getBibtex',
    'BibTeX',
    bytesOf('application/x-bibtex', 'The citation.'),
  ),
  'GET /api/collections/:owner/:slug/versions/:v/citation.ris': citation(
    'getRis',
    'RIS',
    bytesOf('application/x-research-info-systems', 'The citation.'),
  ),
  'GET /api/collections/:owner/:slug/versions/:v/citation.csl.json': citation(
    'getCslJson',
    'CSL-JSON',
    bytesOf('application/vnd.citationstyles.csl+json', 'A list with the citation.'),
  ),
}
