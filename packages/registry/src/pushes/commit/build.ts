/** Applies the merged entries of a push to both views of its base. Writes new objects, of which `makeVersion` makes a version. */
import {
  compareUtf8,
  defaultShape,
  type Edit,
  editTree,
  emptyTree,
  type Hash,
  type JsonObject,
  type Sidecar,
  type Tree,
  type TypeEntry,
  type ViewDocument,
} from '@ulmus/content'
import type { VersionContent } from '../../versions/content.ts'
import { writeSidecar } from '../../versions/sidecar.ts'
import { lineFor, type NewLine, storedApart } from '../leaves/line.ts'
import { type BuildIo, type ChangeNotes, recordPort } from '../leaves/tree-ports.ts'
import { ReferenceChanges } from '../references/reference-changes.ts'
import { applyReferences, arrivingSizes, enteredFiles } from '../references/references.ts'
import type { PushSchema } from '../schemas/push-schema.ts'
import { EntriesByType, type EntriesSource, type PushEntry } from '../spills/entries.ts'
import type { TemporarySpills } from '../spills/temporary-spills.ts'
import { resultingRecords } from './carried-over.ts'
import { publicEdits, reprojected } from './public-view.ts'

export interface BuildInput {
  /** The base version, or an empty one. */
  base: { full: ViewDocument; public: ViewDocument; sidecar: Sidecar }
  /** The next version's schemas by type, and the base's. */
  schemas: ReadonlyMap<string, PushSchema>
  baseSchemas: ReadonlyMap<string, PushSchema>
  /** Of the next version's sidecar. */
  formerlyPrivate: Sidecar['formerlyPrivate']
  /** Starts the merged stream of pushed entries; the build reads it at most twice. */
  entries: EntriesSource
  metadata: JsonObject
  /** Files that the push declares. */
  declared: readonly Hash[]
  /** True: the declared files replace those of the base. False: they are added. */
  replacesDeclared: boolean
  /** Sizes of `files`. @throws files_missing if the collection may not refer to one. */
  fileSizes: (files: readonly Hash[]) => Promise<ReadonlyMap<Hash, number>>
  /** Spills for data that is too large for memory; the caller removes them. */
  passing: TemporarySpills
  /** Progress: records done, of all pushed. */
  progress: { recordsDone: number; readonly recordsTotal: number }
}

export interface Built {
  content: VersionContent
  /** Records of the full view. */
  changes: { added: number; updated: number; removed: number }
  /** Files of the new views that their bases lack. */
  filesEntered: { full: Hash[]; public: Hash[] }
}

/** Builds the trees and the sidecar of the next version. Records nothing: the caller finishes or aborts `io.writer`. */
export async function buildContent(io: BuildIo, input: BuildInput): Promise<Built> {
  return new VersionBuild(io, input).run()
}

/** Mean number of records in a leaf. */
const leafEntriesMean = 2 ** defaultShape.leafBits

/** New trees of a type. `hiddenTree`: its public tree, shown only if the type is not private. */
interface TypeTrees {
  full: Tree
  hiddenTree: Tree
}

type Entries = AsyncGenerator<PushEntry[]>

class VersionBuild {
  readonly #io: BuildIo
  readonly #input: BuildInput
  readonly #baseFull: ReadonlyMap<string, TypeEntry>
  readonly #basePublic: ReadonlyMap<string, TypeEntry>
  readonly #trees = new Map<string, TypeTrees>()
  readonly #changes = { added: 0, updated: 0, removed: 0 }
  readonly #references: { full: ReferenceChanges; public: ReferenceChanges }

  constructor(io: BuildIo, input: BuildInput) {
    this.#io = io
    this.#input = input
    const { passing } = input
    this.#references = { full: new ReferenceChanges(passing), public: new ReferenceChanges(passing) }
    this.#baseFull = new Map(Object.entries(input.base.full.types))
    this.#basePublic = new Map(Object.entries(input.base.public.types))
  }

  async run(): Promise<Built> {
    for (const type of this.#baseFull.keys()) if (!this.#input.schemas.has(type)) await this.#dropType(type)
    const types = [...this.#input.schemas.keys()].sort(compareUtf8)
    const apart: string[] = []
    const { entries, progress } = this.#input
    const counted = entries((records) => {
      progress.recordsDone += records
    })
    await this.#eachType(counted, types, async (type, ofType) => {
      if (!(await this.#editFull(type, ofType))) apart.push(type)
    })
    if (apart.length > 0) {
      await this.#eachType(entries(), apart, (type, ofType) => this.#editHiddenTree(type, ofType))
    }
    return this.#finish()
  }

  async #eachType(
    entries: Entries,
    types: string[],
    work: (type: string, entries: Entries) => Promise<void>,
  ): Promise<void> {
    const stream = new EntriesByType(entries)
    try {
      for (const type of types) await work(type, stream.of(type))
    } finally {
      await stream.close()
    }
  }

  async #dropType(type: string): Promise<void> {
    const full = this.#baseFull.get(type)!
    this.#changes.removed += full.count
    await this.#noteTree('full', type, full, false)
    const publicTree = this.#basePublic.get(type)
    if (publicTree !== undefined) await this.#noteTree('public', type, publicTree, false)
  }

  /** Edits the full tree. Returns true if the public tree is the same; false: it needs a pass of its own. */
  async #editFull(type: string, entries: Entries): Promise<boolean> {
    const base = this.#baseFull.get(type) ?? emptyTree
    const schema = this.#input.schemas.get(type)!
    const baseShadow = this.#baseShadow(type)
    const changes = new ReferenceChanges(this.#input.passing)
    const seen = { private: false }
    const full = await this.#edit(base, fullEdits(entries, seen), {
      count: (counts) => this.#count(counts),
      referring: (change) => changes.noteChange(this.#io.objects, type, change),
    })
    await this.#references.full.add(changes)
    this.#trees.set(type, { full, hiddenTree: full })
    if (seen.private || base.root !== baseShadow.root || schema.privateFields.length > 0) return false
    if (this.#fieldsChanged(type)) return false
    await this.#notePublic(type, baseShadow, changes, false)
    return true
  }

  async #editHiddenTree(type: string, entries: Entries): Promise<void> {
    const schema = this.#input.schemas.get(type)!
    const baseShadow = this.#baseShadow(type)
    const changes = new ReferenceChanges(this.#input.passing)
    const notes: ChangeNotes = {
      count: () => undefined,
      referring: (change) => changes.noteChange(this.#io.objects, type, change),
    }
    const anew = this.#fieldsChanged(type)
    const trees = this.#trees.get(type)!
    if (anew) {
      const resulting = resultingRecords(this.#io.objects, this.#baseFull.get(type)!, entries)
      trees.hiddenTree = await this.#edit(
        emptyTree,
        reprojected(this.#io.objects, schema, baseShadow, resulting),
        notes,
      )
    } else trees.hiddenTree = await this.#edit(baseShadow, publicEdits(schema, entries), notes)
    await this.#notePublic(type, baseShadow, changes, anew)
  }

  #edit(base: Tree, edits: AsyncGenerator<Edit<NewLine>[]>, notes: ChangeNotes): Promise<Tree> {
    const apart = storedApart(edits, this.#io.writer)
    const isDense = this.#input.progress.recordsTotal * leafEntriesMean >= base.count
    return editTree(treeOf(base), apart, recordPort(this.#io, notes, { isDense }), { kind: 'records' })
  }

  /** Public tree of a base type; for a private type, the hidden one. */
  #baseShadow(type: string): Tree {
    const { hiddenTrees } = this.#input.base.sidecar
    return this.#basePublic.get(type) ?? (Object.hasOwn(hiddenTrees, type) ? hiddenTrees[type]! : emptyTree)
  }

  /** True if a type has other private fields than in the base: then every public record changes. */
  #fieldsChanged(type: string): boolean {
    const before = this.#input.baseSchemas.get(type)
    if (before === undefined) return false
    const after = new Set(this.#input.schemas.get(type)!.privateFields)
    return (
      before.privateFields.length !== after.size || before.privateFields.some((field) => !after.has(field))
    )
  }

  /** Applies a type's change to the references of the public view, which may gain or lose the type. */
  async #notePublic(type: string, baseShadow: Tree, changes: ReferenceChanges, anew: boolean): Promise<void> {
    const wasPublic = this.#basePublic.has(type)
    const isPublic = this.#input.schemas.get(type)!.publicHash !== null
    if (wasPublic && (!isPublic || anew)) await this.#noteTree('public', type, baseShadow, false)
    if (!wasPublic && isPublic && !anew) await this.#noteTree('public', type, baseShadow, true)
    if (isPublic) await this.#references.public.add(changes)
  }

  async #noteTree(view: 'full' | 'public', type: string, tree: Tree, comes: boolean): Promise<void> {
    // A base without files in its full view has no references.
    if (this.#input.base.full.files.count === 0) return
    await this.#references[view].noteTree(this.#io.objects, type, treeOf(tree), comes)
  }

  #count({ added, updated, removed }: Built['changes']): void {
    this.#changes.added += added
    this.#changes.updated += updated
    this.#changes.removed += removed
  }

  async #finish(): Promise<Built> {
    const { base, declared, metadata, fileSizes } = this.#input
    if (this.#input.replacesDeclared) {
      await this.#references.full.undeclareAll(
        this.#io.objects,
        base.sidecar.references.full,
        base.full.files,
      )
    }
    for (const file of declared) await this.#references.full.declare(file)
    const sizes = await arrivingSizes(this.#references, base.full.files, this.#io.objects, fileSizes)
    const full = await this.#files('full', sizes)
    const publicFiles = await this.#files('public', sizes)
    const roots = {
      full: {
        files: full.files,
        types: await this.#typeEntries(
          ({ hash, text }) => ({ hash, text }),
          (trees) => trees.full,
        ),
      },
      public: {
        files: publicFiles.files,
        types: await this.#typeEntries(
          ({ publicHash, publicText }) => ({ hash: publicHash, text: publicText }),
          (trees) => trees.hiddenTree,
        ),
      },
    }
    const content: VersionContent = {
      full: { ...roots.full, metadata },
      public: { ...roots.public, metadata },
      sidecar: await writeSidecar(this.#io.writer, {
        roots,
        references: { full: full.references, public: publicFiles.references },
        hiddenTrees: this.#hiddenTrees(),
        formerlyPrivate: this.#input.formerlyPrivate,
      }),
    }
    const entered = {
      full: await enteredFiles(this.#references.full, base.full.files, this.#io.objects),
      public: await enteredFiles(this.#references.public, base.public.files, this.#io.objects),
    }
    return { content, changes: this.#changes, filesEntered: entered }
  }

  #files(view: 'full' | 'public', sizes: ReadonlyMap<Hash, number>) {
    const { base } = this.#input
    const before = { references: base.sidecar.references[view], files: base[view].files }
    return applyReferences(before, this.#references[view], sizes, this.#io)
  }

  /** @param formOf a schema in a view. No hash: the view lacks the type; no text: it is stored already. */
  async #typeEntries(
    formOf: (schema: PushSchema) => { hash: Hash | null; text: string | null },
    treeFor: (trees: TypeTrees) => Tree,
  ): Promise<Record<string, TypeEntry>> {
    const entries: [string, TypeEntry][] = []
    for (const [type, schema] of this.#input.schemas) {
      const { hash, text } = formOf(schema)
      if (hash === null) continue
      if (text !== null) await this.#io.writer.add('plain', hash, encoder.encode(text))
      entries.push([type, { schema: hash, ...treeFor(this.#trees.get(type)!) }])
    }
    return Object.fromEntries(entries)
  }

  #hiddenTrees(): Record<string, Tree> {
    const hidden = [...this.#trees].filter(([type]) => this.#input.schemas.get(type)!.publicHash === null)
    return Object.fromEntries(hidden.map(([type, trees]) => [type, trees.hiddenTree]))
  }
}

const encoder = new TextEncoder()

const treeOf = ({ root, count, bytes }: Tree): Tree => ({ root, count, bytes })

/** Edits of a type's full tree. Sets `seen.private` if a record was pushed as private. */
async function* fullEdits(entries: Entries, seen: { private: boolean }): AsyncGenerator<Edit<NewLine>[]> {
  for await (const batch of entries) {
    yield batch.map(({ id, put }) => {
      if (put === undefined) return { key: id }
      seen.private ||= put.private
      return { key: id, put: { hash: put.hash, size: put.canonical.length, payload: lineFor(put) } }
    })
  }
}
