/** Exports: a whole version as one archive. http-api §7. */
import { z } from 'zod'

/** `GET …/export` */
export const ExportQuery = z.strictObject({
  version: z
    .string()
    .default('latest')
    .meta({
      description: '`latest`, a number or a digest (default: `latest`).',
      default: 'latest',
      examples: ['latest'],
    }),
})
export type ExportQuery = z.infer<typeof ExportQuery>
