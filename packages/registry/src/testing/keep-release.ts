/** `npm run release:keep`: stores a registry of the version to be released, for the test that upgrades it. */
import manifest from '../../package.json' with { type: 'json' }
import { keepRelease } from './releases.ts'

await keepRelease(manifest.version)
process.stdout.write(`Wrote packages/registry/releases/${manifest.version}.\n`)
