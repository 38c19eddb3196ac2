/** Version and build of this server. */
import { findBuild, releaseName } from '@ulmus/wire/build'
import manifest from '../package.json' with { type: 'json' }

export const version = manifest.version
export const build = findBuild()
/** `0.1.0 (5852009b, 2026-11-29)` */
export const release = releaseName(version, build)
