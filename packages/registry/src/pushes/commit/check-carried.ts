/** Task for a worker thread that checks records against a changed schema, for `carried-over-check.ts`. */
import { leafLines, parseCanonical, type SchemaIssue } from '@ulmus/content'
import { defineTask } from '../../work/task.ts'
import { checkData, schemasOf } from '../receiving/check-batch.ts'
import type { PushSchemas } from '../schemas/push-schema.ts'

export interface CarriedTask {
  /** Canonical forms, each ended by a newline. */
  bytes: Uint8Array
  /** Schemas, including the type of these records. */
  schemas: PushSchemas
}

/** A carried-over record that does not fit its new schema. */
export interface CarriedFault {
  id: string
  type: string
  code: string
  message: string
  errors?: SchemaIssue[]
}

const decoder = new TextDecoder()

export const checkCarried = defineTask({
  name: 'checkCarried',
  pool: 'push',
  run: findFaults,
  costs: ({ bytes, schemas: { units, name } }) => ({
    bytes: bytes.length,
    schemaUnits: units,
    schemas: name,
  }),
  moves: ({ bytes }) => [bytes.buffer],
})

function findFaults(task: CarriedTask): CarriedFault[] {
  const schemas = schemasOf(task.schemas)
  const faults: CarriedFault[] = []
  for (const form of leafLines(task.bytes)) {
    const { id, type, data } = parseCanonical(decoder.decode(form))
    const checked = checkData(schemas.get(type)!, data, false)
    if ('code' in checked) faults.push({ id, type, ...checked })
  }
  return faults
}
