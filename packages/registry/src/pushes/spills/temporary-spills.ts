/**
 * Runs that a commit makes for itself while it works, of what memory should not hold. No row names them: the commit drops them at
 * its end, and what a crash leaves goes with the sweep after the end of its session.
 */
import { spillName } from '@ulmus/storage'
import { v4 as randomId } from 'uuid'
import type { Context } from '../../context.ts'
import type { PushEntry } from './entries.ts'
import type { FrameEntries } from './frame.ts'
import { encodeSpillStream, readSpill } from './spill.ts'

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

  /** Removes them all. Failing is harmless: a sweep does it. */
  async drop(): Promise<void> {
    try {
      for (const name of this.#names.splice(0)) await this.#context.blobs.remove(name)
    } catch (error) {
      this.#context.log.warn({ err: error, pushId: this.#pushId }, 'could not drop spills of a commit')
    }
  }
}
