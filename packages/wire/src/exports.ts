/** Query of an export, which answers a whole version as one archive (operations/files.ts). docs/design/http-api.md §7. */
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
