/** Version of this release, and its commit. */
import manifest from '../package.json' with { type: 'json' }

export const version = manifest.version

/** `0.1.0 (5852009b, 2026-11-29)`. Loaded when it is wanted: from sources it asks git. */
export const release = async (): Promise<string> => (await import('@ulmus/wire/build')).releaseName(version)
