import type { Registry } from '@ulmus/registry'

/** Options of all route modules. */
export interface RouteOptions {
  readonly registry: Registry
}
