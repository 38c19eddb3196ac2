/**
 * Builds of table files that no caller waits for. They have a process of their own, rest while callers wait for others, and end when a
 * caller asks for the same table: its own build does not rest.
 */
import { setTimeout } from 'node:timers/promises'
import type { DiskSpace } from '@ulmus/storage'
import type { Engine } from '../engine/engine.ts'
import { storeTable } from '../folder/store-table.ts'
import type { TableFacts, TableSource } from '../table-source.ts'

/** Time between two looks whether callers wait. Milliseconds. */
const busyMilliseconds = 50

export interface AheadWork {
  /** Ends the build. */
  readonly signal: AbortSignal
  /** Resolves when the next part may follow. @throws what ends the build */
  rest(): Promise<void>
  /** Statistics of a table, as JSON. Undefined: it has none. */
  describe(file: string, misfits: TableFacts['misfits']): Promise<Uint8Array | undefined>
}

interface AheadBuild extends AheadWork {
  readonly path: string
  /** Bytes that it may have. */
  readonly room: number
  /** True while callers wait for other tables. */
  isBusy(): boolean
}

export interface BuiltAhead {
  readonly facts: TableFacts
  readonly statistics: Uint8Array | undefined
}

export class AheadBuilds {
  readonly #engine: Engine
  readonly #space: DiskSpace
  /** By path of the table file. */
  readonly #running = new Map<string, AbortController>()

  constructor({ engine, space }: { engine: Engine; space: DiskSpace }) {
    this.#engine = engine
    this.#space = space
  }

  /** Undefined: there is no room, or a caller asked for the table meanwhile. */
  async build(
    source: TableSource,
    { path, room, signal, rest, describe, isBusy }: AheadBuild,
  ): Promise<BuiltAhead | undefined> {
    // Most tables take a half of it.
    const { bytes } = source.tree
    if (bytes > room) return undefined
    await this.#space.demand(bytes)
    const overtaken = new AbortController()
    this.#running.set(path, overtaken)
    const between = async () => {
      await rest()
      while (isBusy() && !overtaken.signal.aborted) {
        await setTimeout(busyMilliseconds)
        await rest()
      }
    }
    let statistics: Uint8Array | undefined
    try {
      const facts = await storeTable(source, {
        ...{ path, writer: this.#engine.aheadWriter, progress: { rowsDone: 0, rows: source.tree.count } },
        signal: AbortSignal.any([signal, overtaken.signal]),
        ahead: {
          between,
          async finish(unfinished, { misfits }) {
            statistics = await describe(unfinished, misfits)
          },
        },
      })
      return { facts, statistics }
    } catch (error) {
      if (overtaken.signal.aborted) return undefined
      throw error
    } finally {
      this.#running.delete(path)
    }
  }

  /** True while a table is built that no caller waits for. */
  has(path: string): boolean {
    return this.#running.has(path)
  }

  /** Ends the build of a table that a caller waits for. */
  overtake(path: string): void {
    this.#running.get(path)?.abort()
  }
}
