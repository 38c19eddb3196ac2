/** Words of proposed commands in real shells; every proposed command quotes its words. */
import { spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { shellWord } from './shell-word.ts'

const words = [
  'ada/cities@v1.0.0',
  'ada/cities#City/Åre 1',
  "A'; touch pwned; '",
  '$(touch pwned)`touch pwned`"$HOME"',
  '\\N',
  '\\',
  "a\\'; touch pwned; '",
  "\\\\'\\",
  '=ls',
  '~',
  '*',
  '-n',
  '',
  'a\nb',
]
const shells = ['sh', 'bash', 'zsh', 'fish'].filter(
  (shell) => spawnSync(shell, ['-c', 'true']).error === undefined,
)

test.skipIf(shells.length === 0)('a shell reads a word as the text that it was made of', () => {
  for (const shell of shells) {
    const program = `printf '%s\\0' ${words.map(shellWord).join(' ')}`
    expect([shell, spawnSync(shell, ['-c', program]).stdout.toString().split('\0')]).toEqual([
      shell,
      [...words, ''],
    ])
  }
})

/** In single quotes, fish escapes only a quote and a backslash. */
function readByFish(word: string): string {
  let text = ''
  let isQuoted = false
  for (let at = 0; at < word.length; at++) {
    const char = word[at]!
    const escapes = char === '\\' && (!isQuoted || /['\\]/.test(word[at + 1] ?? ''))
    if (escapes) text += word[++at]
    else if (char === "'") isQuoted = !isQuoted
    else text += char
  }
  expect(isQuoted).toBe(false)
  return text
}

test.each(words)('fish reads %j as it is', (word) => {
  expect(readByFish(shellWord(word))).toBe(word)
})

test('plain words and names of missing values stay readable', () => {
  expect(['ada/cities@v1.0.0', 'http://127.0.0.1:80', '\\N', 'a b'].map(shellWord)).toEqual([
    'ada/cities@v1.0.0',
    'http://127.0.0.1:80',
    "'\\N'",
    "'a b'",
  ])
})

test('every value in a proposed command is quoted', () => {
  const sources = join(import.meta.dirname, '..')
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter(
    (name) => name.endsWith('.ts') && !name.endsWith('.test.ts'),
  )
  expect(files.length).toBeGreaterThan(80)
  const bare = files.flatMap((name) =>
    [
      ...readFileSync(join(sources, name), 'utf8').matchAll(
        /`(?:ulmus [a-z]|export )[^`]*?\$\{(?!shellWord\()[^\n]*/g,
      ),
    ].map(([found]) => `${name}: ${found}`),
  )
  expect(bare).toEqual([])
})
