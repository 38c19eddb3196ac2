/** Warnings of types that a push removes with their records. */
import type { ViewDocument } from '@ulmus/content'
import { type PushWarnings, WarningList } from './warnings.ts'

const numbers = new Intl.NumberFormat('en')

export function removedTypes(base: ViewDocument, next: ReadonlyMap<string, unknown>): PushWarnings {
  const warnings = new WarningList()
  for (const [type, { count: records }] of Object.entries(base.types)) {
    if (next.has(type)) continue
    const message = `the type ${type} is removed with its ${numbers.format(records)} record${records === 1 ? '' : 's'}`
    warnings.add({ code: 'type_removed', type, path: '', message, records })
  }
  return { listed: warnings.listed, total: warnings.total }
}
