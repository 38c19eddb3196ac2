import type { Registry } from '@ulmus/registry'

/** What every noun's routes are given. */
export interface RouteOptions {
  readonly registry: Registry
}
