/**
 * Validation of the Kubernetes manifests and compose.yaml against the schemas of `kubernetes-validate` (PyPI), strictly, and of compose-go. `.ci/run` brings both; on a developer's machine DEPLOY_VENV and COMPOSE_SCHEMA name them.
 */
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const { CI, COMPOSE_SCHEMA, DEPLOY_VENV } = process.env
const lacks = (name: string, value: string | undefined) =>
  value === undefined && CI !== 'true' ? `${name} is not set, as .ci/run sets it.` : undefined

test('the Kubernetes manifests are valid, also for a release of two years ago', ({ skip }) => {
  const lacking = lacks('DEPLOY_VENV', DEPLOY_VENV)
  if (lacking !== undefined) skip(lacking)
  const program = join(DEPLOY_VENV!, 'bin/kubernetes-validate')
  for (const version of [[], ['--kubernetes-version', '1.30']]) {
    const options = ['--strict', '--no-warn', ...version, 'deploy/kubernetes/ulmus.yaml']
    const said = execFileSync(program, options, { cwd: root, encoding: 'utf8', stdio: 'pipe' })
    expect(said.match(/ passed for resource /g)).toHaveLength(5)
  }
})

test('compose.yaml is valid', ({ skip }) => {
  const lacking = lacks('DEPLOY_VENV', DEPLOY_VENV) ?? lacks('COMPOSE_SCHEMA', COMPOSE_SCHEMA)
  if (lacking !== undefined) skip(lacking)
  const program = `import json, sys, yaml, jsonschema
schema, file = (open(path) for path in sys.argv[1:])
jsonschema.Draft202012Validator(json.load(schema)).validate(yaml.safe_load(file))`
  execFileSync(join(DEPLOY_VENV!, 'bin/python'), ['-c', program, COMPOSE_SCHEMA!, 'compose.yaml'], {
    cwd: root,
  })
})
