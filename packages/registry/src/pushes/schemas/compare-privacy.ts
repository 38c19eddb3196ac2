/**
 * Compares the private names of two sets of schemas. A task for a worker thread, which parses each schema: they may have 4 MiB.
 */
import {
  formerlyPrivate,
  type Json,
  type MadePublic,
  madePublic,
  type PrivateName,
  parseJson,
  type SchemaSources,
} from '@ulmus/content'
import { defineTask } from '../../work/task.ts'
import type { SchemaTexts } from './accept-schemas.ts'

export interface PrivacyTask {
  base: SchemaTexts
  next: SchemaTexts
  /** Private names of earlier versions, recorded by the base. */
  former: readonly PrivateName[]
}

/** Outcome of the comparison. */
export interface Privacy {
  madePublic: MadePublic[]
  /** Private names for the next version to record. */
  former: PrivateName[]
}

export const comparePrivacy = defineTask({
  name: 'comparePrivacy',
  pool: 'push',
  run: compare,
})

function compare({ base, next, former }: PrivacyTask): Privacy {
  const [before, after] = [sourcesOf(base), sourcesOf(next)]
  return {
    madePublic: madePublic(before, after, former),
    former: formerlyPrivate(before, after, former),
  }
}

const sourcesOf = (texts: SchemaTexts): SchemaSources =>
  new Map(texts.map(([type, text]) => [type, parseJson(text) as Json]))
