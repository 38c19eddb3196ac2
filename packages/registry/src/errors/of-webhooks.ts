/** Part of the catalogue (`catalogue.ts`) for refusals of webhooks only. docs/errors.md has each code. */
import type { UrlRule } from '../outside/ask.ts'
import { entry } from './entry.ts'

const refusedUrls: Record<UrlRule, string> = {
  not_a_url: 'it is not a URL',
  too_long: 'it is longer than 2,048 characters',
  scheme: 'it must begin with https://',
  port: 'it must have no port, so that requests go to port 443',
  user_info: 'it must have no user name and password',
  fragment: 'it must have no part after #',
  address: 'it is an address of an inner network, or of this machine',
}

export const refusalsOfWebhooks = {
  webhook_not_found: entry('missing', 'You have no webhook with this id.'),
  delivery_not_found: entry(
    'missing',
    (f) => `The webhook has no delivery of event ${f.seq}. It may be older than events are kept.`,
  ),
  too_many_webhooks: entry('conflict', (f) =>
    f.all
      ? `\`${f.account}\` has ${f.all} webhooks, the maximum. Delete one first.`
      : `\`${f.account}\` has ${f.max} webhooks for this collection, the maximum. Delete one first.`,
  ),
  url_refused: entry(
    'unacceptable',
    (f) =>
      `Requests cannot be sent to this address: ${refusedUrls[f.rule as UrlRule]}. The operator can allow more addresses.`,
  ),
  webhooks_unavailable: entry(
    'unsupported',
    (f) => `This server has no webhooks: ${f.reason}. Ask for \`/api/events\` instead.`,
  ),
}
