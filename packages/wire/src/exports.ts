/** Exports: a whole version as one archive. http-api §7. */
import { z } from 'zod'

/** `GET …/export` */
export const ExportQuery = z.strictObject({
  version: z.string().default('latest').meta({ description: '`latest`, a semver or a digest.' }),
})
export type ExportQuery = z.infer<typeof ExportQuery>
