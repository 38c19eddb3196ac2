/** Introductions of the API description and of each group of operations: the list of all operations shows its first paragraph. */

export const introduction = `Ulmus is a registry for versioned collections of records.

**Credentials.** Programs send an API key as \`Authorization: Bearer ul_…\`; browsers that signed in at \`/auth/login\` send
their session cookie. A header, if present, decides alone. Scopes nest: admin ⊃ write ⊃ read, and a session counts as admin. Writes with
a session must come from a page of this site.

**Refusals** have one shape: a sentence for a person, a stable \`code\` for programs, the status, and the facts that the code brings
([all codes](/docs/errors)). Data that a caller may not see is answered as if it did not exist. A \`429\` or \`503\` has \`Retry-After\`, the time
of the next try.

**Lists** take \`limit\`, \`offset\` and \`cursor\`, and link neighbouring pages in the \`Link\` header.

**Caching.** Every GET has an \`ETag\` and answers \`If-None-Match\` with 304.

**Subject.** \`X-Resource\` of a successful answer names what it is about: the path and query, with the number of the version in place of \`latest\`.
A cache or a mirror may mix up two answers: compare the header with the request. A part of over 256 characters is \`sha256:\` with the hash of it.

**Keys that end.** Answers to a key that ends within 14 days have its expiry in \`Ulmus-Key-Expires\`.

**First steps** to a published version: sign in, create a key (\`POST /api/accounts/keys\`), create a collection
(\`POST /api/accounts/{owner}/collections\`), then push a version in three steps, described under \`pushes\`.`

const pushes = `Delta pushes: "this changed". A push is a session that stays invisible until its commit.

The steps:

1. **Open** it (\`POST …/pushes\`) with the version that the changes are against, and with schemas, metadata or a message where they change.
2. **Send** records (\`POST …/pushes/{id}/records\`) and deletes (\`…/deletes\`) as NDJSON, and files (\`PUT …/files/{hash}\`), in any number of requests and any order.
3. **Commit** (\`POST …/pushes/{id}/commit\`): makes the version, or returns the reason why not.

\`GET …/pushes/{id}\` returns the state of the session, \`DELETE\` cancels it. A session expires after an hour without a request.
Where two pushes have one base, the first commit wins and the other gets \`version_conflict\`: read the new version and start again.`

const snapshots = `Snapshot pushes: "this is everything". Records that the manifest does not name are removed, and only those that the base version
lacks are sent.

The steps:

1. **Negotiate** (\`POST …/versions/negotiate\`) with the hash of every record. The answer has the session, and the hashes of the records to send. Of more than 500,000 records give \`manifest_expected\` instead, and send the manifest in chunks (\`POST …/negotiate/{id}/manifest\`), each of which is answered with the hashes to send.
2. **Send** those records (\`POST …/negotiate/{id}/records\`) as NDJSON until \`remaining\` is 0, and files (\`PUT …/files/{hash}\`).
3. **Commit** (\`POST …/negotiate/{id}/commit\`): makes the version, or returns the reason why not.

\`GET …/negotiate/{id}\` returns the state of the session, \`DELETE\` cancels it. A session expires after an hour without a request.
The hash of a record is the SHA-256 of its canonical form: [verifying](/docs/verifying) describes it.`

export const tags = [
  { name: 'signing in', description: 'Sessions of browsers. Programs use API keys instead.' },
  { name: 'accounts', description: 'Users and organizations.' },
  { name: 'members', description: 'Members of organizations and their roles.' },
  { name: 'keys', description: 'API keys of the caller.' },
  { name: 'collections', description: 'Browse, create, change and delete collections.' },
  {
    name: 'metadata',
    description: 'Metadata of the latest version: description, readme, license and further fields.',
  },
  { name: 'forks', description: 'Copies of collections in organizations, without extra storage.' },
  { name: 'versions', description: 'Versions, their contents and differences.' },
  { name: 'records', description: 'Records of a version, and how they changed.' },
  {
    name: 'tables',
    description: 'Rows, facets, statistics, CSV, Parquet and SQL of the records of a version.',
  },
  { name: 'questions', description: 'Saved questions: queries and SQL statements by name.' },
  { name: 'files', description: 'Files that records refer to.' },
  { name: 'events', description: 'New versions and other changes, in one order.' },
  {
    name: 'log',
    description:
      'The signed log: proves that a version is the one that everybody gets ([Verifying](/docs/verifying)).',
  },
  { name: 'webhooks', description: 'Requests to your own servers when something changes.' },
  {
    name: 'publishing',
    description:
      'Trusted publishers: jobs that push without a stored key ([Publish from CI](/docs/publish-from-ci)).',
  },
  { name: 'collaborators', description: 'Users with a grant on one collection, and who can read it.' },
  { name: 'pushes', description: pushes },
  { name: 'snapshots', description: snapshots },
  { name: 'audit', description: 'Who did what in an account: the audit log.' },
  { name: 'reports', description: 'What readers tell the operators about collections.' },
  { name: 'operators', description: 'Accounts, quotas and background work, for operators of the registry.' },
]
