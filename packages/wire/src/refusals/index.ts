/**
 * All refusals by code, for programs that refuse (`@ulmus/wire/refusals`). Browsers and the client load only their types: the texts are
 * long. To add a refusal, declare it in the file of its noun and run `npm run errors`.
 */
import { accountRefusals } from './account.ts'
import { collectionRefusals } from './collection.ts'
import { credentialRefusals } from './credential.ts'
import { eventRefusals } from './event.ts'
import { memberRefusals } from './member.ts'
import { privateDataRefusals } from './private-data.ts'
import { publishingRefusals } from './publishing.ts'
import { pushRefusals } from './push.ts'
import { questionRefusals } from './question.ts'
import { recordRefusals } from './record.ts'
import { type Facts, type Refusal, statusOfKind } from './refusal.ts'
import { requestRefusals } from './request.ts'
import { serverRefusals } from './server.ts'
import { snapshotRefusals } from './snapshot.ts'
import { tableRefusals } from './table.ts'
import { versionRefusals } from './version.ts'

export type { UrlRule } from './event.ts'
export type { Facts, Refusal, RefusalKind, Shapes } from './refusal.ts'

const declared = {
  ...requestRefusals,
  ...credentialRefusals,
  ...memberRefusals,
  ...accountRefusals,
  ...collectionRefusals,
  ...versionRefusals,
  ...recordRefusals,
  ...tableRefusals,
  ...questionRefusals,
  ...snapshotRefusals,
  ...pushRefusals,
  ...privateDataRefusals,
  ...publishingRefusals,
  ...eventRefusals,
  ...serverRefusals,
}

/** Declarations with their exact members, for the type of the error body. */
export type Declared = typeof declared
export type RefusalCode = keyof Declared

export const refusals: Readonly<Record<RefusalCode, Refusal>> = declared
export const refusalCodes = Object.keys(declared) as readonly RefusalCode[]

/** HTTP status of a refusal, from the kind of its code. */
export const statusOf = (code: RefusalCode): number => statusOfKind[refusals[code].kind]

/** Message of a refusal for people. */
export function sentenceOf(code: RefusalCode, facts: Facts): string {
  const { sentence } = refusals[code]
  return typeof sentence === 'string' ? sentence : sentence(facts)
}
