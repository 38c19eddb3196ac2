/** `npm run release:keep`: keeps a registry of the version that is about to be released, for the test that upgrades it. */
import manifest from '../../package.json' with { type: 'json' }
import { keepRelease } from './releases.ts'

await keepRelease(manifest.version)
process.stdout.write(`Wrote packages/registry/releases/${manifest.version}.\n`)
