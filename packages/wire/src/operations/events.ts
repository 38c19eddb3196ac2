/** Operation that lists events. docs/design/http-api.md §12. */
import { EventPage, EventsQuery } from '../events.ts'
import { operation } from '../operation.ts'

export const eventOperations = {
  'GET /api/events': operation({
    id: 'listEvents',
    tag: 'events',
    summary: 'List events, or wait for them',
    description:
      'Lists new versions, withdrawals, deprecations, and collections that were made, renamed, transferred, deleted, made public or private: of public collections, and of private ones of the caller’s accounts. Pass `next` as `after` of the next request to get every event once and in order. With `wait` the answer comes as soon as there is an event, so that a program receives a change within two seconds. Events are kept for 30 days by default; after a longer pause the answer is 410 `events_gone`, and the program compares versions instead. Numbers between two events are events that the caller may not see or did not ask for.',
    query: EventsQuery,
    answers: { 200: EventPage },
    answerWords: { 200: 'Events that the caller may see.' },
    refusals: ['events_gone', 'account_not_found', 'collection_not_found'],
  }),
}
