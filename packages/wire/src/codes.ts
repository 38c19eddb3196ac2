/** Codes of refusals, the stable part of an error that programs compare with. The folder refusals/ declares each. */
import { z } from 'zod'
import { refusalCodes } from './refusals/index.ts'

/** Codes of this release's registry. A newer registry may have more. */
export const RefusalCode = z.enum(refusalCodes)
export type RefusalCode = z.infer<typeof RefusalCode>
