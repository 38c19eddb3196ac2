/** Claims of tokens as vendors print them, demanded claims, and the presets. */
import { expect, test } from 'vitest'
import {
  claimsFault,
  labelFor,
  match,
  presentedOf,
  refusedByPreset,
  type TokenClaims,
  workloadOf,
} from './claims.ts'

/** docs.github.com, "OpenID Connect reference", example of a token. */
const github: TokenClaims = {
  jti: 'example-id',
  sub: 'repo:octo-org/octo-repo:environment:prod',
  environment: 'prod',
  aud: 'https://github.com/octo-org',
  ref: 'refs/heads/main',
  sha: 'example-sha',
  repository: 'octo-org/octo-repo',
  repository_owner: 'octo-org',
  actor_id: '12',
  repository_visibility: 'private',
  repository_id: '74',
  repository_owner_id: '65',
  run_id: 'example-run-id',
  run_number: '10',
  run_attempt: '2',
  runner_environment: 'github-hosted',
  actor: 'octocat',
  workflow: 'example-workflow',
  head_ref: '',
  base_ref: '',
  event_name: 'workflow_dispatch',
  ref_type: 'branch',
  job_workflow_ref: 'octo-org/octo-automation/.github/workflows/oidc.yml@refs/heads/main',
  workflow_ref: 'octo-org/octo-repo/.github/workflows/release.yml@refs/heads/main',
  iss: 'https://token.actions.githubusercontent.com',
  nbf: 1632492967,
  exp: 1632493867,
  iat: 1632493567,
}
/** GitHub Enterprise Server: the same claims of another issuer. */
const ghes: TokenClaims = { ...github, iss: 'https://ghes.example/_services/token', run_id: '7' }
/** docs.gitlab.com, "OpenID Connect (OIDC) Authentication Using ID Tokens", example of a payload. */
const gitlab: TokenClaims = {
  namespace_id: '72',
  namespace_path: 'my-group',
  project_id: '20',
  project_path: 'my-group/my-project',
  user_id: '1',
  user_login: 'sample-user',
  user_email: 'sample-user@example.com',
  user_identities: [{ provider: 'github', extern_uid: '2435223452345' }],
  pipeline_id: '574',
  pipeline_source: 'push',
  job_id: '302',
  ref: 'feature-branch-1',
  ref_type: 'branch',
  ref_path: 'refs/heads/feature-branch-1',
  ref_protected: 'true',
  groups_direct: ['mygroup/mysubgroup', 'myothergroup/myothersubgroup'],
  environment: 'test-environment2',
  environment_protected: 'false',
  deployment_tier: 'testing',
  environment_action: 'start',
  runner_id: 1,
  runner_environment: 'self-hosted',
  sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  project_visibility: 'public',
  ci_config_ref_uri: 'gitlab.example.com/my-group/my-project//.gitlab-ci.yml@refs/heads/main',
  ci_config_sha: '714a629c0b401fdce83e847fc9589983fc6f46bc',
  jti: '235b3a54-b797-45c7-ae9a-f72d7bc6ef5b',
  iat: 1681395193,
  nbf: 1681395188,
  exp: 1681398793,
  iss: 'https://gitlab.example.com',
  sub: 'project_path:my-group/my-project:ref_type:branch:ref:feature-branch-1',
  aud: 'https://vault.example.com',
}
/** kubernetes.io, "Configure Service Accounts for Pods", schema of a projected token. */
const kubernetes: TokenClaims = {
  aud: ['https://registry.example'],
  exp: 1731613413,
  iat: 1700077413,
  iss: 'https://kubernetes.default.svc',
  jti: 'ea28ed49-2e11-4280-9ec5-bc3d1d84661a',
  'kubernetes.io': {
    namespace: 'my-namespace',
    node: { name: 'my-node', uid: '646e7c5e-32d6-4d42-9dbd-e504e6cbe6b1' },
    pod: { name: 'my-pod', uid: '5e0bd49b-f040-43b0-99b7-22765a53f7f3' },
    serviceaccount: { name: 'my-serviceaccount', uid: '14ee3fa4-a7e2-420f-9f9a-dbc4507c3798' },
  },
  nbf: 1700077413,
  sub: 'system:serviceaccount:my-namespace:my-serviceaccount',
}

const publisher = (
  claims: Parameters<typeof claimsFault>[1],
  pinned: Record<string, string> | null = null,
) => ({ claims, pinned })

test('a repository by its name pins its ids, and another of that name is refused', () => {
  for (const claims of [github, ghes]) {
    const demanded = publisher({ repository: 'octo-org/octo-repo', ref: 'refs/heads/main' })
    const pins = { repository_id: '74', repository_owner_id: '65' }
    expect(match('github', demanded, claims)).toEqual({ kind: 'match', pins })
    expect(match('github', { ...demanded, pinned: pins }, claims)).toEqual({ kind: 'match', pins: null })
    const again = { ...claims, repository_id: '9000' }
    expect(match('github', { ...demanded, pinned: pins }, again)).toEqual({
      kind: 'another',
      ids: { ...pins, repository_id: '9000' },
    })
    const sold = { ...claims, repository_owner_id: '9001' }
    expect(match('github', { ...demanded, pinned: pins }, sold).kind).toBe('another')
    const { repository_id: _, ...nameless } = claims
    expect(match('github', demanded, nameless)).toEqual({ kind: 'no' })
  }
  expect(match('github', publisher({ repository_id: '74' }), github)).toEqual({ kind: 'match', pins: null })
  expect(match('github', publisher({ repository_id: '7' }), github)).toEqual({ kind: 'no' })
})

test('a project of GitLab is pinned, and a service account of Kubernetes is named in full', () => {
  const pins = { project_id: '20', namespace_id: '72' }
  expect(match('gitlab', publisher({ project_path: 'my-group/my-project' }), gitlab)).toEqual({
    kind: 'match',
    pins,
  })
  expect(match('gitlab', publisher({ project_id: '20', ref_protected: 'true' }), gitlab).kind).toBe('match')
  const account = 'system:serviceaccount:my-namespace:my-serviceaccount'
  expect(match('kubernetes', publisher({ sub: account }), kubernetes)).toEqual({ kind: 'match', pins: null })
  expect(match('kubernetes', publisher({ sub: `${account}-2` }), kubernetes)).toEqual({ kind: 'no' })
})

test('claims are compared exactly, one of a list suffices, and absent ones never match', () => {
  const kindOf = (claims: Parameters<typeof claimsFault>[1]) =>
    match('github', publisher({ repository_id: '74', ...claims }), github).kind
  expect(kindOf({ environment: ['stage', 'prod'] })).toBe('match')
  expect(kindOf({ environment: 'Prod' })).toBe('no')
  expect(kindOf({ environment: ['stage'] })).toBe('no')
  expect(kindOf({ nothing: 'x' })).toBe('no')
  expect(kindOf({ toString: 'x' })).toBe('no')
  expect(kindOf({ ['__proto__']: 'x' })).toBe('no')
  expect(kindOf({ ref: 'refs/heads/*' })).toBe('match')
  expect(kindOf({ ref: 'refs/tags/*' })).toBe('no')
  expect(kindOf({ workflow_ref: 'octo-org/octo-repo/.github/workflows/release.yml@*' })).toBe('match')
  expect(kindOf({ sub: 'repo:octo-org/octo-repo:*' })).toBe('match')
  // A number is compared as text, a list or an object never.
  expect(match('gitlab', publisher({ project_id: '20', runner_id: '1' }), gitlab).kind).toBe('match')
  expect(
    match('gitlab', publisher({ project_id: '20', groups_direct: 'mygroup/mysubgroup' }), gitlab).kind,
  ).toBe('no')
})

test('claims of a publisher need a project, and stars only where nothing else can follow', () => {
  const fault = (
    kind: 'github' | 'gitlab' | 'kubernetes' | 'other',
    claims: Parameters<typeof claimsFault>[1],
  ) => claimsFault(kind, claims)?.message
  const named = { repository: 'octo-org/octo-repo' }
  for (const [kind, claims] of [
    ['github', named],
    ['github', { repository_id: '74', ref: ['refs/heads/main', 'refs/tags/v*'] }],
    ['github', { ...named, sub: 'repo:octo-org/octo-repo:*' }],
    ['gitlab', { project_path: 'a/b', ci_config_ref_uri: 'gitlab.example/a/b//.gitlab-ci.yml@*' }],
    ['kubernetes', { sub: 'system:serviceaccount:a:b' }],
    ['other', { sub: 'x', pipeline: 'y' }],
  ] as const)
    expect(fault(kind, claims)).toBeUndefined()
  for (const [kind, claims, said] of [
    ['github', {}, '`repository_id` or `repository` in full'],
    ['github', { repository_owner: 'octo-org' }, 'in full'],
    ['github', { sub: 'repo:octo-org/*' }, 'in full'],
    ['github', { repository: 'octo-org/*' }, 'must not have `*`'],
    ['github', { repository_id: '*' }, 'must not have `*`'],
    ['github', { ...named, sub: 'repo:octo-org/octo-repo*' }, 'right after'],
    ['github', { ...named, ref: 'refs/*/main' }, 'only at its end'],
    ['github', { ...named, ref: '*' }, 'only at its end'],
    ['github', { ...named, ref: 'refs/heads/**' }, 'only at its end'],
    ['github', { ...named, aud: 'x' }, 'is checked for every token'],
    ['github', { ...named, 'a b': 'x' }, 'is not the name'],
    ['gitlab', { namespace_path: 'a' }, '`project_id` or `project_path` in full'],
    ['kubernetes', { sub: 'system:serviceaccount:a:*' }, '`sub` in full'],
    ['other', { sub: 'a/*' }, '`sub` in full'],
    ['other', { sub: ['a', 'b/*'] }, '`sub` in full'],
    ['github', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`c${n}`, 'x'])), 'at most 20'],
  ] as const)
    expect(fault(kind, claims)).toContain(said)
})

test('presets refuse jobs that may run the code of others', () => {
  expect(refusedByPreset('github', github)).toBeUndefined()
  for (const event_name of ['pull_request_target', 'workflow_run'])
    expect(refusedByPreset('github', { ...github, event_name })).toContain(event_name)
  expect(refusedByPreset('gitlab', gitlab)).toBeUndefined()
  expect(refusedByPreset('gitlab', { ...gitlab, pipeline_source: 'merge_request_event' })).toContain('merge')
  for (const ref_protected of ['false', '', undefined])
    expect(refusedByPreset('gitlab', { ...gitlab, ref_protected })).toContain('protected')
})

test('a workload has the claims of the job, no person, and a link to the job', () => {
  const of = (kind: 'github' | 'gitlab' | 'kubernetes' | 'other', claims: TokenClaims, demanded = {}) =>
    workloadOf({ id: 'p', issuer: String(claims['iss']), shows: 'everyone', claims: demanded }, kind, claims)
  expect(of('github', github)).toMatchObject({
    subject: github['sub'],
    claims: { repository: 'octo-org/octo-repo', sha: 'example-sha', environment: 'prod' },
    run: 'https://github.com/octo-org/octo-repo/actions/runs/example-run-id',
  })
  expect(of('github', github).claims).not.toHaveProperty('actor')
  expect(of('github', ghes).run).toBe('https://ghes.example/octo-org/octo-repo/actions/runs/7')
  const resident = { ...github, iss: 'https://token.actions.acme.ghe.com' }
  expect(of('github', resident).run).toContain('https://acme.ghe.com/octo-org/')
  expect(of('gitlab', gitlab)).toMatchObject({
    claims: { project_path: 'my-group/my-project', ref_protected: 'true' },
    run: 'https://gitlab.example.com/my-group/my-project/-/jobs/302',
  })
  expect(JSON.stringify(of('gitlab', gitlab))).not.toMatch(/sample-user/)
  expect(of('kubernetes', kubernetes)).toMatchObject({ claims: { sub: kubernetes['sub'] }, run: null })
  expect(
    of('other', { iss: 'https://x.example', sub: 's', pipeline: 'p', secret: 'q' }, { pipeline: 'p' }).claims,
  ).toEqual({
    pipeline: 'p',
  })
  const hostile = { ...github, repository: '../../evil?x=<script>', run_id: 'a/../b', sha: 'a\0\ud800' }
  expect(of('github', hostile).run).toBeNull()
  expect(of('github', { ...github, repository: 'a/b?x=<script>' }).run).toContain('/a/b%3Fx%3D%3Cscript%3E/')
  expect(of('github', hostile).claims['sha']).toBe('a\ufffd\ufffd')
})

test('the claims that a refusal repeats are those of the token, without its id', () => {
  const presented = presentedOf(github)
  expect(presented).toMatchObject({ repository: 'octo-org/octo-repo', exp: '1632493867' })
  expect(presented).not.toHaveProperty('jti')
})

test('a publisher is labelled by its project', () => {
  expect(labelFor('gitlab', { project_path: 'a/b' })).toBe('a/b')
  expect(labelFor('github', { repository_id: '74' })).toBe('74')
  expect(labelFor('kubernetes', { sub: ['a', 'b'] })).toBe('a, b')
})
