/** Collections over HTTP. interface.md "Collections"; http-api §4. */
import {
  BrowseQuery,
  Collection,
  CollectionItem,
  CollectionListQuery,
  CollectionPath,
  CreateCollection,
  CreatedCollection,
  Done,
  MyCollection,
  OwnedCollection,
  OwnerPath,
  TransferCollection,
  TransferredCollection,
  UpdateCollection,
} from '@ulmus/wire'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { textIn } from '../../plugins/shapes.ts'
import * as about from '../descriptions/collections.ts'
import { linkPages } from '../links.ts'
import type { RouteOptions } from '../options.ts'

const tags = ['collections']

export const collectionRoutes: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections',
    {
      schema: {
        tags,
        ...about.browse,
        querystring: BrowseQuery,
        response: { 200: z.array(CollectionItem) },
      },
    },
    async (request, reply) => linkPages(request, reply, await registry.collections.browse(request.query)),
  )

  app.get(
    '/accounts/me/collections',
    {
      config: { entrance: { scope: 'any', unlimited: true } },
      schema: {
        tags,
        ...about.listMine,
        querystring: CollectionListQuery,
        response: { 200: z.array(MyCollection) },
      },
    },
    async (request, reply) =>
      linkPages(request, reply, await registry.collections.mine(request.principal, request.query)),
  )

  app.get(
    '/accounts/:owner/collections',
    {
      schema: {
        tags,
        ...about.listOwned,
        params: OwnerPath,
        querystring: CollectionListQuery,
        response: { 200: z.array(OwnedCollection) },
      },
    },
    async (request, reply) => {
      const { owner } = request.params
      return linkPages(
        request,
        reply,
        await registry.collections.list(request.principal, owner, request.query),
      )
    },
  )

  app.post(
    '/accounts/:owner/collections',
    {
      config: { entrance: { scope: 'write', unlimited: true } },
      schema: {
        tags,
        ...about.create,
        params: OwnerPath,
        body: CreateCollection,
        response: { 201: CreatedCollection },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send(await registry.collections.create(request.principal, request.params.owner, request.body)),
  )
  await app.register(oneCollection, { registry })
}

const oneCollection: FastifyPluginAsyncZod<RouteOptions> = async (app, { registry }) => {
  app.get(
    '/collections/:owner/:slug',
    {
      schema: {
        tags,
        ...about.detail,
        params: CollectionPath,
        response: { 200: Collection },
      },
    },
    async (request) =>
      textIn<Collection>(await registry.collections.detail(request.principal, request.params)),
  )

  app.patch(
    '/collections/:owner/:slug',
    {
      config: { entrance: { scope: 'write' } },
      schema: {
        tags,
        ...about.update,
        params: CollectionPath,
        body: UpdateCollection,
        response: { 200: Done },
      },
    },
    async (request) => registry.collections.patch(request.principal, request.params, request.body),
  )

  app.delete(
    '/collections/:owner/:slug',
    {
      config: { entrance: { scope: 'write' } },
      schema: {
        tags,
        ...about.remove,
        params: CollectionPath,
        response: { 200: Done },
      },
    },
    async (request) => registry.collections.remove(request.principal, request.params),
  )

  app.post(
    '/collections/:owner/:slug/transfer',
    {
      config: { entrance: { scope: 'admin', unlimited: true } },
      schema: {
        tags,
        ...about.transfer,
        params: CollectionPath,
        body: TransferCollection,
        response: { 200: TransferredCollection },
      },
    },
    async ({ principal, params, body }) => registry.collections.transfer(principal, params, body.to),
  )
}
