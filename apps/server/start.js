#!/usr/bin/env node
// The way in with any Node: it must be read by old ones too, so it is JavaScript and imports nothing before it has looked.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 6)) {
  process.stderr.write(
    `Ulmus needs Node 24.6 or newer; this is ${process.versions.node}. On Linux (x64, arm64) and Windows (x64) \`npm ci\` brings one and ` +
      '`npm start` uses it; elsewhere install it from https://nodejs.org.\n',
  )
  process.exitCode = 1
} else if (process.platform === 'linux' && process.env.MALLOC_ARENA_MAX === undefined && process.execve) {
  // glibc gives threads that allocate at once arenas of their own, eight a core, and what is free in one is no use to another: with two,
  // a server that has pushed, compared and streamed holds an eighth less. It asks for them as the process begins: so it begins again.
  // Memory of 128 KiB and more is asked of the system and given back to it piece by piece. That is what glibc begins with; left to
  // itself it takes such pieces, after the first that is given back, from memory that it hardly ever gives back: hundreds of MiB after
  // many streams at once.
  const { availableParallelism } = await import('node:os')
  const flags = [
    // V8 marks and compiles in four threads of its own, whatever the machine has: on two cores the event loop waits for them.
    `--v8-pool-size=${Math.min(4, Math.max(1, availableParallelism() - 1))}`,
    // What survives while V8 marks it takes for long-lived, and puts the like, from then on, where only collections of the whole heap
    // look: all that it refers to is kept until then, in a push most of what passes.
    '--no-allocation-site-pretenuring',
    // Young objects have 16 MiB, as in the threads of pushes, instead of 64: little of what a server makes outlives its request.
    '--max-semi-space-size=8',
  ]
  const { execPath, execArgv, argv, env } = process
  process.execve(execPath, [execPath, ...flags, ...execArgv, ...argv.slice(1)], {
    ...env,
    MALLOC_ARENA_MAX: '2',
    MALLOC_MMAP_THRESHOLD_: env.MALLOC_MMAP_THRESHOLD_ ?? '131072',
  })
} else {
  const { enableCompileCache, flushCompileCache, registerHooks } = await import('node:module')
  // Compiled code is kept between starts, in a folder that nobody else may write to and no reboot empties: the second start takes
  // a third of the time.
  const { fileURLToPath } = await import('node:url')
  // Threads keep theirs where the environment says: 130 ms of CPU less before each begins its work.
  process.env.NODE_COMPILE_CACHE ??= fileURLToPath(
    new URL('../../node_modules/.cache/ulmus', import.meta.url),
  )
  enableCompileCache(process.env.NODE_COMPILE_CACHE)
  // To learn that a file is a module, Node 24 parses the whole package.json beside it, once a file (getPackageScopeConfig in
  // lib/internal/modules/package_json_reader.js). Drizzle's is 175 kB and over a hundred of its files are read: 0.4 s.
  registerHooks({
    resolve(specifier, context, next) {
      if (!specifier.startsWith('.') || !context.parentURL?.includes('/node_modules/drizzle-orm/'))
        return next(specifier, context)
      return { url: new URL(specifier, context.parentURL).href, format: 'module', shortCircuit: true }
    },
  })
  await import('./src/main.ts')
  // Else kept only by a process that ends in order.
  flushCompileCache()
}
