/** Version of this release, and its commit. */
import { releaseName } from '@ulmus/wire/build'
import manifest from '../package.json' with { type: 'json' }

export const version = manifest.version

/** `0.1.0 (5852009b, 2026-11-29)`. A function: from sources it asks git. */
export const release = (): string => releaseName(version)
