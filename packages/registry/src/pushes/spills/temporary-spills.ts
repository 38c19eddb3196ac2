/**
 * Spills that a commit writes for data too large for memory. No row names them. The commit removes them at its end; after a
 * crash, a sweep does, once the session has ended.
 */
import { spillName } from '@ulmus/storage'
import { v4 as randomId } from 'uuid'
import type { Context } from '../../context.ts'
import type { PushEntry } from './entries.ts'
import type { FrameEntries } from './frame.ts'
import { encodeSpillStream, readSpill } from './spill.ts'

/** Temporary spills of one commit. Their names contain the session's id, so that a sweep can tell when it has ended. */
export class TemporarySpills {
  readonly #context: Pick<Context, 'blobs' | 'log'>
  readonly #pushId: string
  readonly #names: string[] = []

  constructor(context: Pick<Context, 'blobs' | 'log'>, pushId: string) {
    this.#context = context
    this.#pushId = pushId
  }

  /** Stores sorted entries; resolves to their spill's name. */
  async keep(entries: AsyncIterable<readonly PushEntry[]>): Promise<string> {
    const name = spillName(this.#pushId, randomId())
    this.#names.push(name)
    await this.#context.blobs.put(name, encodeSpillStream(entries))
    return name
  }

  read(name: string): AsyncGenerator<FrameEntries> {
    return readSpill(this.#context.blobs.stream(name))
  }

  /** Removes all of them. Logs failures: a sweep removes the rest. */
  async drop(): Promise<void> {
    try {
      for (const name of this.#names.splice(0)) await this.#context.blobs.remove(name)
    } catch (error) {
      this.#context.log.warn({ err: error, pushId: this.#pushId }, 'could not drop spills of a commit')
    }
  }
}
