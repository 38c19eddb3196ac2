/**
 * All routes under `/api`, one file per noun. A handler only translates between HTTP and the registry, which checks every permission. The
 * wire package declares the operations; `serve.ts` registers them.
 */
import { NoQuery } from '@ulmus/wire'
import type { FastifyPluginAsync } from 'fastify'
import { countAnswers, nameAnswers } from '../plugins/answers/reading.ts'
import { accountRoutes } from './accounts/accounts.ts'
import { adminRoutes } from './accounts/admin.ts'
import { auditRoutes } from './accounts/audit.ts'
import { invitationRoutes } from './accounts/invitations.ts'
import { keyRoutes } from './accounts/keys.ts'
import { memberRoutes } from './accounts/members.ts'
import { browserSessionRoutes } from './accounts/sessions.ts'
import { collaboratorRoutes } from './collections/collaborators.ts'
import { collectionRoutes } from './collections/collections.ts'
import { metadataRoutes } from './collections/metadata.ts'
import { publisherRoutes } from './collections/publishers.ts'
import { questionRoutes } from './collections/questions.ts'
import { eventRoutes } from './events.ts'
import type { RouteOptions } from './options.ts'
import { pushRoutes } from './pushes/pushes.ts'
import { snapshotRoutes } from './pushes/snapshots.ts'
import { versionLogRoutes } from './version-log.ts'
import { documentRoutes } from './versions/documents.ts'
import { fileRoutes } from './versions/files.ts'
import { recordRoutes } from './versions/records.ts'
import { sqlRoutes } from './versions/sql.ts'
import { tableRoutes } from './versions/tables.ts'
import { versionRoutes } from './versions/versions.ts'
import { webhookRoutes } from './webhooks.ts'

const writing: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH'])

/** Announced length of a body. Undefined if it is missing or small enough for the reserve. */
function announcedBytes(length: string | undefined): number | undefined {
  const bytes = Number(length)
  return bytes > announcedBytesMin ? bytes : undefined
}

/** Shorter bodies need no check of the free disk space. Bytes. */
const announcedBytesMin = 1_048_576

export const apiRoutes: FastifyPluginAsync<RouteOptions & { origin: () => string }> = async (
  app,
  { registry, origin },
) => {
  // Refuse unknown query parameters, also for operations without parameters.
  app.addHook('onRoute', (route) => {
    if (route.schema?.hide !== true) route.schema = { querystring: NoQuery, ...route.schema }
  })
  countAnswers(app, registry.answers)
  nameAnswers(app)
  // Allow deletions: they free space, and leaked keys must go.
  app.addHook('onRequest', async ({ method, headers }) => {
    if (writing.has(method)) await registry.diskReserve.demand(announcedBytes(headers['content-length']))
  })
  await app.register(accountRoutes, { registry })
  await app.register(memberRoutes, { registry, origin })
  await app.register(invitationRoutes, { registry, origin })
  await app.register(keyRoutes, { registry })
  await app.register(auditRoutes, { registry })
  await app.register(adminRoutes, { registry })
  await app.register(browserSessionRoutes, { registry })
  await app.register(collectionRoutes, { registry })
  await app.register(metadataRoutes, { registry })
  await app.register(publisherRoutes, { registry })
  await app.register(collaboratorRoutes, { registry, origin })
  await app.register(versionRoutes, { registry, origin })
  await app.register(documentRoutes, { registry, origin })
  await app.register(recordRoutes, { registry })
  await app.register(tableRoutes, { registry })
  await app.register(sqlRoutes, { registry })
  await app.register(questionRoutes, { registry })
  await app.register(fileRoutes, { registry })
  await app.register(eventRoutes, { registry })
  await app.register(versionLogRoutes, { registry })
  await app.register(webhookRoutes, { registry })
  await app.register(pushRoutes, { registry })
  await app.register(snapshotRoutes, { registry })
}
