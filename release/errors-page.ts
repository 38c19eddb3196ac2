/** `npm run errors`: writes docs/errors.md, all refusals with their remedies, from the declarations of the wire package. */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type RefusalCode, refusalCodes, refusals, statusOf } from '@ulmus/wire/refusals'
import { root } from './workspace.ts'

const introduction = `# Errors

Every refusal is \`{"error": "<sentence for a person>", "code": "<code>", "statusCode": <status>, …}\` with further members that depend on the code. Codes are stable, sentences are not: act on \`code\`. A former slug of an account or collection answers 308 with \`Location\`, code \`moved\`. The codes below are in the order of their status.
`

const clientCodes = `## Codes of the client

The client and the command line have these codes, too; no answer of a registry has them. Records are checked before they are sent, with the codes of [lines](#schema_violation).

| code | meaning | what to do |
|---|---|---|
| \`network\` | There was no answer. | Try again; check the address. |
| \`http_<status>\` | The answer is not from a registry but, for example, from a proxy. | Ask the operator of the proxy. |
| \`wrong_answer\` | The answer is about something else than was asked for: its header \`X-Resource\`, or its body, names another subject, or a list does not end. A cache, a mirror or a proxy may mix up two answers. | Try again without the cache. If it lasts, tell the operator: the message has both names. |
| \`answer_too_large\` | A response exceeds the maximum size, and was not read to its end. | Check the address. |
| \`redirected\` | A redirect to another host was not followed, since it would get the key. | Use the new address. |
| \`timeout\` | A job took longer than the caller would wait. | Ask for it later. |
| \`not_json\` | A value that JSON cannot hold was not sent, such as a \`Map\`, a function or an invalid \`Date\`. The message has the type, the id and the path of the value. | Convert the value to text, number, list or object. |
| \`too_many_removed\` | The call would remove more records than \`maxRemoved\`. Nothing was published. | Check the source, or raise \`maxRemoved\`. |
| \`records_changed\` | \`records\` returned other records the second time. | Return the same records each time. |
| \`push_not_committed\` | The session is still open after a commit. | Commit again. |
`

/** The page, in Markdown. Codes are in the order of their status, then of their declarations. */
export function errorsPage(): string {
  const codes = [...refusalCodes].sort((a, b) => statusOf(a) - statusOf(b))
  return [introduction, ...codes.map(section), clientCodes].join('\n')
}

function section(code: RefusalCode): string {
  const { meaning, explanation = `${meaning[0]!.toUpperCase()}${meaning.slice(1)}.`, remedy } = refusals[code]
  const paragraphs = [explanation].flat().join('\n\n')
  return `## \`${code}\`\n\n**${statusOf(code)}.** ${paragraphs}\n\n_What to do:_ ${remedy}\n`
}

if (import.meta.main) writeFileSync(join(root, 'docs/errors.md'), errorsPage())
