import type { Client } from '@ulmus/client'
import { type Json, withMembersInOrder, withPropertiesInOrder } from '@ulmus/content'
import { counted, countText, sizeText } from '@ulmus/content/quantities'
import { command, noun } from '../../command.ts'
import type { Call, CommonFlags } from '../../context.ts'
import { referenceHere } from '../../folder/base/here.ts'
import { optional } from '../../parameters.ts'
import { pathOf, type Reference } from '../../reference.ts'
import { CommandError } from '../../terminal/failure.ts'
import { facts, timeText } from '../../terminal/table.ts'
import { jobText } from './job.ts'

/** `ulmus show [REF]`: shows a collection, a version, a type's schema, or a record. */
const show = command<Record<never, never>, [reference?: string]>({
  brief: 'Show a collection, a version, a schema or a record',
  page: 'Show a collection, a version, the schema of a type, or a record',
  positional: {
    kind: 'tuple',
    parameters: [optional('reference', 'owner/slug, …@v1.2.0, …#Type or …#Type/id')],
  },
  run: async (call, flags, text) => {
    const reference = referenceHere(call.terminal.cwd, text)
    const { client, host } = await call.connect({ host: reference.host })
    const { version = 'latest', type, id } = reference
    const collection = pathOf(reference)
    if (type !== undefined && id !== undefined) {
      const [record, schema] = await Promise.all([
        client.records.one(collection, version, type, id),
        schemaOf(client, collection, version, type),
      ])
      return call.json({ ...record, data: withMembersInOrder(record.data as Json, schema) })
    }
    if (type !== undefined) {
      const schema = await schemaOf(client, collection, version, type)
      return call.json(withPropertiesInOrder(schema as Json))
    }
    if (reference.version !== undefined) return showVersion(call, flags, client, reference)
    const found = await client.collections.get(collection)
    if (flags.json) return call.json(found)
    const { latestVersion } = found
    const latest = latestVersion === null ? null : await client.versions.get(collection, latestVersion.semver)
    await facts(call, [
      ['collection', collection],
      ['name', found.name],
      ['description', found.description ?? ''],
      ['visible to', found.public ? 'everybody' : `members of ${found.ownerSlug}, and collaborators`],
      ['version', latestVersion?.semver ?? 'none yet'],
      ['published by', jobText(latest?.workload)],
      ['deprecated', latest?.deprecated?.message ?? ''],
      ['records', latestVersion === null ? '' : countText(latestVersion.recordCount)],
      ['files', latestVersion === null ? '' : countText(latestVersion.fileCount)],
      ['size', latestVersion === null ? '' : sizeText(latestVersion.totalBytes)],
      ['digest', (found.public ? latest?.publicHash : latest?.hash) ?? ''],
      ['page', `${host}/${collection}`],
    ])
  },
})

async function schemaOf(client: Client, collection: string, version: string, type: string): Promise<object> {
  const schemas = await client.versions.schemas(collection, version)
  if (Object.hasOwn(schemas, type)) return schemas[type]!
  throw new CommandError(
    `There is no type ${JSON.stringify(type)} in ${collection}@${version}. It has: ${Object.keys(schemas).join(', ') || 'none'}.`,
    {
      code: 'type_not_found',
    },
  )
}

async function showVersion(
  call: Call,
  flags: CommonFlags,
  client: Client,
  reference: Reference,
): Promise<void> {
  const found = await client.versions.get(pathOf(reference), reference.version)
  if (flags.json) return call.json(found)
  await facts(call, [
    ['version', `${pathOf(reference)}@${found.semver}`],
    ['deprecated', found.deprecated?.message ?? ''],
    ['message', found.message ?? ''],
    ['made', timeText(found.createdAt)],
    ['published by', jobText(found.workload)],
    ['job', found.workload?.run ?? ''],
    ['after', found.baseSemver ?? ''],
    ['records', countText(found.recordCount)],
    ...Object.entries(found.typeCounts).map(([type, count]) => [`  ${type}`, countText(count)] as const),
    ['files', counted(found.fileCount, 'file')],
    ['size', sizeText(found.totalBytes)],
    ['digest', found.publicHash],
    ['for members', found.hash === found.publicHash ? '' : found.hash],
    ['license', typeof found.metadata['license'] === 'string' ? found.metadata['license'] : ''],
    ['description', typeof found.metadata['description'] === 'string' ? found.metadata['description'] : ''],
  ])
}

export default noun({
  section: 'Reading',
  words: {
    show: {
      command: show,
      group: 'Read',
      place: 10,
      line: ['show, log', 'show a collection, version or record; list versions'],
    },
  },
})
