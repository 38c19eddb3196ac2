// The way in with any Node: it must be read by old ones too, so it is JavaScript and imports nothing before it has looked.
const [major, minor] = process.versions.node.split('.').map(Number)

if (major < 24 || (major === 24 && minor < 6)) {
  process.stderr.write(
    `Ulmus needs Node 24.6 or newer; this is ${process.versions.node}. On Linux (x64, arm64) and Windows (x64) \`npm ci\` brings one and ` +
      '`npm start` uses it; elsewhere install it from https://nodejs.org.\n',
  )
  process.exitCode = 1
} else {
  // Compiled code is kept between starts: the second takes a third of the time.
  const { enableCompileCache } = await import('node:module')
  enableCompileCache()
  await import('./src/main.ts')
}
