/** Public documentation pages: files of `docs/` by path. */
import { fileURLToPath } from 'node:url'

export interface DocPage {
  /** Name under `/docs/`, and of the file in `docs/` without its ending. */
  readonly name: string
  /** In the navigation. */
  readonly title: string
  /** Purpose, for the list of all pages. */
  readonly purpose: string
}

/** In the order of the navigation. */
export const docPages: readonly DocPage[] = [
  {
    name: 'concepts',
    title: 'Concepts',
    purpose: 'Records, types, versions, what is private, roles and keys.',
  },
  {
    name: 'publishing',
    title: 'Publishing',
    purpose: 'The first push, files, and a script that pushes every night.',
  },
  {
    name: 'cli',
    title: 'Command line',
    purpose: 'Collections as folders: import, push, pull, verify, and every call for scripts.',
  },
  {
    name: 'client',
    title: 'Client',
    purpose: 'Read, publish and mirror from JavaScript and TypeScript.',
  },
  {
    name: 'reading',
    title: 'Reading',
    purpose: 'Records, differences and exports, with curl, Python, R and SQL.',
  },
  {
    name: 'verifying',
    title: 'Verifying',
    purpose: 'Check a record or a whole version without trusting the registry.',
  },
  { name: 'errors', title: 'Errors', purpose: 'Every error code and what to do about it.' },
  {
    name: 'organizations',
    title: 'Organizations',
    purpose: 'Members, roles and the audit log.',
  },
  {
    name: 'operations',
    title: 'Operating',
    purpose: 'Run a registry: install, watch, back up, restore, upgrade.',
  },
  { name: 'configuration', title: 'Configuration', purpose: 'Every setting with its default.' },
  {
    name: 'security',
    title: 'Security',
    purpose: 'Threats, what stands against them, limits, how to report.',
  },
]

/** Files of `docs/` that are served as they are, by name, with their content type. */
export const docFiles: Readonly<Record<string, string>> = {
  'verify.py': 'text/x-python; charset=utf-8',
}

export const docsFolder = fileURLToPath(new URL('../../../../docs', import.meta.url))
