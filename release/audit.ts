/** Advisories of the npm registry for our dependencies, and the exceptions with reason and expiry. */
import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { root } from './workspace.ts'

export interface Exception {
  /** URL of the advisory, as in the output of `npm audit`: `https://github.com/advisories/GHSA-…`. */
  readonly advisory: string
  readonly package: string
  /** Reason why it is harmless here, or why the fixed version cannot be used yet. */
  readonly why: string
  /** Last day of validity, `YYYY-MM-DD`; at most `exceptionDaysMax` ahead. */
  readonly until: string
}

/** Limited, so that each exception is reviewed. */
export const exceptionDaysMax = 90

export const exceptions = JSON.parse(
  readFileSync(join(root, 'release/audit-exceptions.json'), 'utf8'),
) as readonly Exception[]

export interface Advisory {
  readonly advisory: string
  readonly package: string
  readonly title: string
}

/** Output of `npm audit --json`. A package that is vulnerable through another one names it as a string. */
interface Report {
  readonly vulnerabilities?: Readonly<
    Record<string, { readonly via: readonly (string | { url: string; name: string; title: string })[] }>
  >
  readonly message?: string
}

export type Audit = { readonly advisories: readonly Advisory[] } | { readonly unanswered: string }

/** Queries the npm registry. @param more options of `npm audit`, such as `--omit=dev` */
export async function audit(...more: string[]): Promise<Audit> {
  const asked = promisify(execFile)('npm', ['audit', '--json', ...more], { cwd: root })
  // npm exits with 1 if it finds advisories, and also if the registry does not answer.
  const { stdout } = await asked.catch((error: { stdout: string }) => error)
  return readReport(stdout)
}

export function readReport(text: string): Audit {
  const { vulnerabilities, message } = JSON.parse(text) as Report
  if (vulnerabilities === undefined) return { unanswered: message ?? text }
  const found = Object.values(vulnerabilities).flatMap(({ via }) =>
    via.filter((one) => typeof one !== 'string'),
  )
  const byUrl = new Map(found.map(({ url, name, title }) => [url, { advisory: url, package: name, title }]))
  return { advisories: [...byUrl.values()] }
}

/** Advisories without a valid exception on that day. */
export const unexcepted = (
  advisories: readonly Advisory[],
  excepted: readonly Exception[],
  today: Date,
): Advisory[] =>
  advisories.filter(
    (found) =>
      !excepted.some(
        (one) =>
          one.advisory === found.advisory &&
          one.package === found.package &&
          one.until >= today.toISOString().slice(0, 10),
      ),
  )

/** Faults of an exception; empty if there are none. */
export function exceptionFaults({ advisory, why, until }: Exception, today: Date): string[] {
  const days = (Date.parse(until) - today.getTime()) / 86_400_000
  return [
    ...(/^https:\/\/github\.com\/advisories\/GHSA(?:-[a-z0-9]{4}){3}$/.test(advisory)
      ? []
      : [`${advisory} is no advisory`]),
    ...(why.trim().split(/\s+/).length >= 5 ? [] : [`${advisory}: say why`]),
    ...(days >= -1 && days <= exceptionDaysMax
      ? []
      : [`${advisory}: ${until} is past, or over ${exceptionDaysMax} days ahead`]),
  ]
}
