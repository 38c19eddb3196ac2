/** Public documentation pages: files of `docs/` by path. A file that is not listed here is not served. */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export interface DocPage {
  /** Name under `/docs/`, and of the file in `docs/` without its extension. */
  readonly name: string
  /** Title in the navigation. */
  readonly title: string
  /** Purpose, for the list of all pages. */
  readonly purpose: string
  /** Name of its parent page. */
  readonly partOf?: string
}

const operating: readonly DocPage[] = [
  { name: 'plan', title: 'Plan', purpose: 'Cores, memory, disk and windows for four sizes of registries.' },
  { name: 'install', title: 'Install', purpose: 'As a systemd service, as a container, with settings.' },
  {
    name: 'containers',
    title: 'Containers and Kubernetes',
    purpose: 'Images by digest, Compose, and two servers on a cluster.',
  },
  {
    name: 'going-live',
    title: 'Go live',
    purpose: 'Sign-in, TLS, several servers, PostgreSQL with a standby, new secrets.',
  },
  {
    name: 'high-availability',
    title: 'High availability',
    purpose: 'PostgreSQL with automatic failover, and several servers.',
  },
  {
    name: 'scaling',
    title: 'Scaling',
    purpose: 'How many requests several servers answer, and the next limit.',
  },
  {
    name: 'operators',
    title: 'Operators and quotas',
    purpose: 'Lock people out, hand over the collections of people who leave, set quotas.',
  },
  {
    name: 'mail',
    title: 'Mail',
    purpose: 'Invitations, expiring keys and reports by SMTP, and a mail that does not arrive.',
  },
  { name: 'monitoring', title: 'Monitor', purpose: 'Health, metrics, alerts and logs.' },
  {
    name: 'backup',
    title: 'Back up, restore and upgrade',
    purpose: 'And move a registry to another database or store.',
  },
  {
    name: 'maintenance',
    title: 'Maintain',
    purpose: 'Check stored data, repair damage, free space on a full disk.',
  },
  { name: 'tuning', title: 'Tune', purpose: 'Memory, connections, limits and buckets.' },
  {
    name: 'troubleshooting',
    title: 'Troubleshoot',
    purpose: 'When a server does not start, or webhooks do not arrive.',
  },
].map((page) => ({ ...page, partOf: 'operations' }))

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
    purpose: 'Ways to publish, what makes private data public, and warnings.',
  },
  {
    name: 'tables',
    title: 'Publish a table',
    purpose: 'CSV, JSON, Parquet or SQLite, in the browser or with ulmus import.',
    partOf: 'publishing',
  },
  {
    name: 'workbooks',
    title: 'Publish a workbook',
    purpose: 'Sheets of .xlsx and .ods: dates, formulas, merged headers and hidden columns.',
    partOf: 'publishing',
  },
  {
    name: 'pushing',
    title: 'Push with the API',
    purpose: 'From the first key to large pushes, with curl.',
    partOf: 'publishing',
  },
  {
    name: 'nightly',
    title: 'Push every night',
    purpose: 'A script in Python or TypeScript that sends the changes of a source.',
    partOf: 'publishing',
  },
  {
    name: 'publish-from-ci',
    title: 'Publish from CI',
    purpose: 'Jobs of GitHub, GitLab, Kubernetes and others push without a stored key.',
    partOf: 'publishing',
  },
  {
    name: 'undo',
    title: 'Undo',
    purpose: 'Publish an earlier version again, bring back a record.',
    partOf: 'publishing',
  },
  {
    name: 'make-public',
    title: 'Make a collection public',
    purpose: 'What everyone sees then, and what to check before.',
    partOf: 'publishing',
  },
  {
    name: 'delete-personal-data',
    title: 'Delete personal data',
    purpose: 'Remove a record from all versions, and what stays.',
    partOf: 'publishing',
  },
  {
    name: 'cli',
    title: 'Command line',
    purpose: 'Collections as folders: import, push, pull, verify, and use in scripts.',
  },
  {
    name: 'commands',
    title: 'Commands',
    purpose: 'Every command with its flags.',
    partOf: 'cli',
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
    name: 'queries',
    title: 'Search, filter and SQL',
    purpose: 'Ask questions of the records, and download answers as CSV and Parquet.',
  },
  {
    name: 'saved-questions',
    title: 'Saved questions',
    purpose: 'Keep queries and statements by name, for members or for all readers.',
    partOf: 'queries',
  },
  {
    name: 'events',
    title: 'React to new versions',
    purpose: 'Receive new versions and other changes, once and in order.',
  },
  {
    name: 'webhooks',
    title: 'Webhooks',
    purpose: 'Have the registry send a signed request to your server.',
    partOf: 'events',
  },
  {
    name: 'verifying',
    title: 'Verifying',
    purpose: 'Check a record or a whole version without trusting the registry.',
  },
  {
    name: 'log-format',
    title: 'The format of the log',
    purpose: 'Statements, leaves and proofs, for programs that verify the signed log.',
    partOf: 'verifying',
  },
  { name: 'errors', title: 'Errors', purpose: 'Every error code and what to do about it.' },
  {
    name: 'organizations',
    title: 'Organizations',
    purpose: 'Members, roles and the audit log.',
  },
  {
    name: 'personal-data',
    title: 'Your data',
    purpose: 'Data that the registry stores about you, and how to download it.',
    partOf: 'organizations',
  },
  {
    name: 'operations',
    title: 'Operating',
    purpose: 'Run a registry of your own.',
  },
  ...operating,
  { name: 'configuration', title: 'Configuration', purpose: 'Every setting with its default.' },
  { name: 'limits', title: 'Limits', purpose: 'Sizes, counts and rates, and the answer beyond each.' },
  { name: 'security', title: 'Security', purpose: 'Threats and defences, and how to report.' },
  {
    name: 'releases',
    title: 'Releases',
    purpose: 'Versions, support, the order of upgrades, and what the API keeps.',
  },
  {
    name: 'changelog',
    title: 'Changelog',
    purpose: 'What changed, by release.',
    partOf: 'releases',
  },
  {
    name: 'performance',
    title: 'Performance',
    purpose: 'Measured times and sizes, with their limits and with alternatives.',
    partOf: 'releases',
  },
]

/** Files of `docs/` that are served unchanged, by name, with their content type. */
export const docFiles: Readonly<Record<string, string>> = {
  'verify.py': 'text/x-python; charset=utf-8',
  'performance.svg': 'image/svg+xml',
}

export const docsFolder = fileURLToPath(new URL('../../../../docs', import.meta.url))

/** Path of a document. The changelog of the sources is where readers of a repository look for it; a package has it beside the others. */
export function docPath(file: string): string {
  const path = join(docsFolder, file)
  return file === 'changelog.md' && !existsSync(path) ? join(docsFolder, '../CHANGELOG.md') : path
}
