/** Addresses that users paste, and the projects that they name. */
import { expect, test } from 'vitest'
import { projectAt, siteOf } from './projects.ts'

const github = { issuer: 'https://token.actions.githubusercontent.com', kind: 'github' } as const
const ghes = { issuer: 'https://ghes.example/_services/token', kind: 'github' } as const
const gitlab = { issuer: 'https://gitlab.example/', kind: 'gitlab' } as const
const below = { issuer: 'https://tools.example/gitlab', kind: 'gitlab' } as const
const cluster = { issuer: 'https://cluster.example', kind: 'kubernetes' } as const
const all = [cluster, github, ghes, gitlab, below]

test.each([
  ['https://github.com/acme/cities', github, 'acme/cities'],
  ['https://github.com/acme/cities.git', github, 'acme/cities'],
  ['github.com/acme/cities/tree/main/data?x=1#y', github, 'acme/cities'],
  ['git@github.com:acme/cities.git', github, 'acme/cities'],
  ['ssh://git@ghes.example/acme/cities.git', ghes, 'acme/cities'],
  [' https://ghes.example/acme/cities/ ', ghes, 'acme/cities'],
  ['https://gitlab.example/group/sub/project/-/tree/main', gitlab, 'group/sub/project'],
  ['https://gitlab.example/group/project.git', gitlab, 'group/project'],
  ['https://tools.example/gitlab/group/project', below, 'group/project'],
])('%s is a project', (address, { issuer, kind }, name) => {
  expect(projectAt(all, address)).toEqual({ issuer, kind, name })
})

test.each([
  '',
  'cities',
  'https://github.com/acme',
  'https://github.com.evil.example/acme/cities',
  'https://evil.example/github.com/acme/cities',
  'http://github.com/acme/cities',
  'https://github.com/../..',
  'https://github.com/acme/*',
  'https://tools.example/group/project',
  'https://cluster.example/a/b',
  'javascript:alert(1)//a/b',
])('%s is none', (address) => {
  expect(projectAt(all, address)).toBeUndefined()
})

test('an issuer belongs to a site', () => {
  expect([github, ghes, gitlab, below].map(siteOf)).toEqual([
    'https://github.com',
    'https://ghes.example',
    'https://gitlab.example',
    'https://tools.example/gitlab',
  ])
  expect(siteOf({ issuer: 'https://token.actions.acme.ghe.com', kind: 'github' })).toBe(
    'https://acme.ghe.com',
  )
})
