#!/usr/bin/env node
// The way in with any Node: it must be read by old ones too, so it is JavaScript and imports nothing before it has looked.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 6)) {
  process.stderr.write(
    `Ulmus needs Node 24.6 or newer; this is ${process.versions.node}. On Linux (x64, arm64) and Windows (x64) npm brings one, unless it ` +
      'was told to leave optional dependencies out, and `npm start` and `ulmus-server` use it; elsewhere install it from https://nodejs.org.\n',
  )
  process.exitCode = 1
} else {
  const { enableCompileCache, flushCompileCache } = await import('node:module')
  // Cache compiled code, in a folder that other users cannot write to and that survives reboots: the second start takes a third of
  // the time.
  const { fileURLToPath } = await import('node:url')
  // Of the packages that this one is installed among; else of the sources. Where it may not be written to, nothing is kept.
  const [modules] = /^.*\/node_modules\//.exec(import.meta.url) ?? []
  const cache = new URL('.cache/ulmus', modules ?? new URL('../../node_modules/', import.meta.url))
  // Threads keep theirs where the environment says: 130 ms of CPU less before each begins its work.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(cache)
  enableCompileCache(process.env.NODE_COMPILE_CACHE)
  await import('./src/main.ts')
  // Else kept only by a process that ends in order.
  flushCompileCache()
}
