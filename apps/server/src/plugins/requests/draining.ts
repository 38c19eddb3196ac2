/** Answers of a server that ends soon: each closes its connection, so that a proxy keeps none open, which the end would cut. */
import type { Registry } from '@ulmus/registry'
import type { FastifyInstance } from 'fastify'

export function closeWhileDraining(app: FastifyInstance, { health }: Pick<Registry, 'health'>): void {
  app.addHook('onSend', async (_request, reply) => {
    if (health.isDraining()) reply.header('Connection', 'close')
  })
}
