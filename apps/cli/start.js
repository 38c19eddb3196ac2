#!/usr/bin/env node
// From the sources: they are TypeScript, which Node reads from 22.18 on. Releases are JavaScript and need Node 20.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 22 || (major === 22 && minor < 18)) {
  process.stderr.write(
    `From its sources, ulmus needs Node 22.18 or newer; this is ${process.versions.node}. Run it as \`npx ulmus\` here.\n`,
  )
  process.exitCode = 1
} else {
  const { enableCompileCache } = await import('node:module')
  const { fileURLToPath } = await import('node:url')
  // Cache compiled code, in a folder that other users cannot write to: `--help` takes a third of the time.
  const cache = fileURLToPath(new URL('../../node_modules/.cache/ulmus', import.meta.url))
  enableCompileCache(cache)
  // Threads do not inherit the cache, but they read the environment.
  process.env['NODE_COMPILE_CACHE'] ??= cache
  await import('./src/main.ts')
}
