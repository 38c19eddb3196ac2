#!/usr/bin/env node
// The way in with any Node: it must be read by old ones too, so it is JavaScript and imports nothing before it has looked.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 6)) {
  process.stderr.write(
    `Ulmus needs Node 24.6 or newer; this is ${process.versions.node}. On Linux (x64, arm64) and Windows (x64) \`npm ci\` brings one and ` +
      '`npm start` uses it; elsewhere install it from https://nodejs.org.\n',
  )
  process.exitCode = 1
} else {
  const { enableCompileCache, flushCompileCache } = await import('node:module')
  // Compiled code is kept between starts, in a folder that nobody else may write to and no reboot empties: the second start takes
  // a third of the time.
  const { fileURLToPath } = await import('node:url')
  // Threads keep theirs where the environment says: 130 ms of CPU less before each begins its work.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../../node_modules/.cache/ulmus', import.meta.url),
  )
  enableCompileCache(process.env.NODE_COMPILE_CACHE)
  await import('./src/main.ts')
  // Else kept only by a process that ends in order.
  flushCompileCache()
}
