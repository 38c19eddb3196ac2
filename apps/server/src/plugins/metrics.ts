/** Figures for Prometheus: how long requests take, route by route, and how the process is. */
import type { FastifyInstance } from 'fastify'
import { collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import { keptFor } from './kept.ts'

/** Seconds: from a warm look-up to a push's commit. */
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 120]

/** To make them takes a while, and anyone may ask. */
const keptMilliseconds = 1_000

/** @param openConnections how many there are now */
export function measureRequests(app: FastifyInstance, openConnections: () => number): void {
  const metrics = new Registry()
  // Process and event loop: CPU, memory, `nodejs_eventloop_lag_*` and its percentiles.
  collectDefaultMetrics({ register: metrics })
  const durations = new Histogram({
    name: 'http_request_duration_seconds',
    help: 'From the request to the last byte of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets,
    registers: [metrics],
  })
  new Gauge({
    name: 'http_connections_open',
    help: 'Connections that are open, in use or not.',
    registers: [metrics],
    collect() {
      this.set(openConnections())
    },
  })
  app.addHook('onResponse', async (request, reply) => {
    // The pattern, never the path: paths name private things and there are many.
    const route = request.routeOptions.url ?? 'none'
    durations.observe({ method: request.method, route, status: reply.statusCode }, reply.elapsedTime / 1000)
  })
  const text = keptFor(keptMilliseconds, () => metrics.metrics())
  app.get(
    '/metrics',
    { config: { credentials: false, limited: false }, schema: { hide: true } },
    async (_request, reply) => reply.type(metrics.contentType).send(await text()),
  )
  app.addHook('onClose', async () => metrics.clear())
}
