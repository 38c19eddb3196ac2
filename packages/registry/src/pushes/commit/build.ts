/** Applies the merged entries of a push to both views of its base. Writes new objects, of which `makeVersion` makes a version. */
import {
  compareUtf8,
  defaultShape,
  editTree,
  emptyTree,
  type Hash,
  type Tree,
  type TypeEntry,
} from '@ulmus/content'
import type { VersionContent } from '../../versions/content.ts'
import { writeSidecar } from '../../versions/sidecar.ts'
import { storedApart } from '../leaves/line.ts'
import { PublicLeaves } from '../leaves/public-leaves.ts'
import { type BuildIo, type ChangeNotes, recordPort } from '../leaves/tree-ports.ts'
import { ReferenceChanges } from '../references/reference-changes.ts'
import { applyReferences, arrivingSizes, enteredFiles } from '../references/references.ts'
import type { PushSchema } from '../schemas/push-schema.ts'
import { EntriesByType, type PushEntry } from '../spills/entries.ts'
import type { BuildInput, Built } from './build-input.ts'
import { fieldsChanged, Projection, showsIds } from './projection.ts'
import { type Edits, fullEdits, PrivateRecordError, sharedEdits } from './views.ts'

/** Builds the trees and the sidecar of the next version. Records nothing: the caller finishes or aborts `io.writer`. */
export async function buildContent(io: BuildIo, input: BuildInput): Promise<Built> {
  return new VersionBuild(io, input).run()
}

/** Mean number of records in a leaf. */
const leafEntriesMean = 2 ** defaultShape.leafBits

type Entries = AsyncGenerator<PushEntry[]>

class VersionBuild {
  readonly #io: BuildIo
  readonly #input: BuildInput
  readonly #baseFull: ReadonlyMap<string, TypeEntry>
  readonly #basePublic: ReadonlyMap<string, TypeEntry>
  /** New trees by type. Those of private types are not shown in the public view. */
  readonly #trees = { full: new Map<string, Tree>(), public: new Map<string, Tree>() }
  readonly #changes = { added: 0, updated: 0, removed: 0 }
  readonly #references: { full: ReferenceChanges; public: ReferenceChanges }
  readonly #projection: Projection

  constructor(io: BuildIo, input: BuildInput) {
    this.#io = io
    this.#input = input
    const { passing, confirmed } = input
    this.#projection = new Projection(io.objects, confirmed)
    this.#references = { full: new ReferenceChanges(passing), public: new ReferenceChanges(passing) }
    this.#baseFull = new Map(Object.entries(input.base.full.types))
    this.#basePublic = new Map(Object.entries(input.base.public.types))
  }

  async run(): Promise<Built> {
    for (const type of this.#baseFull.keys()) if (!this.#input.schemas.has(type)) await this.#dropType(type)
    const types = [...this.#input.schemas.keys()].sort(compareUtf8)
    const apart = new Set(types.filter((type) => this.#isApart(type)))
    const shared = types.filter((type) => !apart.has(type))
    await this.#eachType(this.#counted(), shared, async (type, ofType) => {
      if (!(await this.#editShared(type, ofType))) apart.add(type)
    })
    await this.#editApart(types.filter((type) => apart.has(type)))
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

  /** The entries, with progress. Two streams of them together pass all types. */
  #counted(): Entries {
    const { entries, progress } = this.#input
    let done = 0
    return entries((records) => {
      done += records
      progress.recordsDone = Math.max(progress.recordsDone, done)
    })
  }

  async #dropType(type: string): Promise<void> {
    const full = this.#baseFull.get(type)!
    this.#changes.removed += full.count
    await this.#noteTree('full', type, full, false)
    const publicTree = this.#basePublic.get(type)
    if (publicTree !== undefined) await this.#noteTree('public', type, publicTree, false)
  }

  /** True if the views of a type need trees of their own, whatever is pushed. */
  #isApart(type: string): boolean {
    const base = this.#baseFull.get(type) ?? emptyTree
    const schema = this.#input.schemas.get(type)!
    const isChanged = fieldsChanged(this.#input.baseSchemas.get(type), schema)
    return schema.privateFields.length > 0 || base.root !== this.#baseShadow(type).root || isChanged
  }

  /** Edits the tree of both views. Returns false, without effect, if a record is private. */
  async #editShared(type: string, entries: Entries): Promise<boolean> {
    const baseShadow = this.#baseShadow(type)
    try {
      const changes = await this.#editFull(type, sharedEdits(entries))
      this.#trees.public.set(type, this.#trees.full.get(type)!)
      await this.#notePublic(type, baseShadow, changes, false)
      return true
    } catch (error) {
      if (error instanceof PrivateRecordError) return false
      throw error
    }
  }

  /**
   * Edits the public trees first: leaves of the full ones are stored as what they add to them.
   * @throws private_record_made_public, private_value_in_id
   */
  async #editApart(types: string[]): Promise<void> {
    if (types.length === 0) return
    const { objects, writer } = this.#io
    let closed: ReturnType<typeof writer.closePack> | undefined
    const written = () => {
      closed ??= writer.closePack()
      return closed
    }
    const leaves = new Map(types.map((type) => [type, new PublicLeaves(objects, written)]))
    await this.#eachType(this.#input.entries(), types, (type, entries) =>
      this.#editHiddenTree(type, entries, leaves.get(type)!),
    )
    this.#projection.demandConfirmed()
    await this.#eachType(this.#counted(), types, async (type, entries) => {
      await this.#editFull(type, fullEdits(entries), leaves.get(type))
    })
  }

  /** @param beside the public leaves beside which the new ones are stored */
  async #editFull(type: string, edits: Edits, beside?: PublicLeaves): Promise<ReferenceChanges> {
    const changes = new ReferenceChanges(this.#input.passing)
    const counts = { added: 0, updated: 0, removed: 0 }
    const notes: ChangeNotes = {
      count: (more) => addCounts(counts, more),
      referring: (change) => changes.noteChange(this.#io.objects, type, change),
    }
    const full = await this.#edit(this.#baseFull.get(type) ?? emptyTree, edits, notes, { beside })
    addCounts(this.#changes, counts)
    await this.#references.full.add(changes)
    this.#trees.full.set(type, full)
    return changes
  }

  async #editHiddenTree(type: string, entries: Entries, writes: PublicLeaves): Promise<void> {
    const schema = this.#input.schemas.get(type)!
    const baseShadow = this.#baseShadow(type)
    const changes = new ReferenceChanges(this.#input.passing)
    const notes: ChangeNotes = {
      count: () => undefined,
      referring: (change) => changes.noteChange(this.#io.objects, type, change),
    }
    const before = this.#input.baseSchemas.get(type)
    const isAnew = fieldsChanged(before, schema) || showsIds(before, schema)
    const trees = { full: this.#baseFull.get(type) ?? emptyTree, unmarked: baseShadow }
    const edits = this.#projection.edits({ schema, ...trees, isAnew }, entries)
    const tree = await this.#edit(isAnew ? emptyTree : baseShadow, edits, notes, { writes })
    this.#trees.public.set(type, tree)
    await this.#notePublic(type, baseShadow, changes, isAnew)
  }

  #edit(
    base: Tree,
    edits: Edits,
    notes: ChangeNotes,
    leaves: { writes?: PublicLeaves; beside?: PublicLeaves },
  ): Promise<Tree> {
    const apart = storedApart(edits, this.#io.writer)
    const isDense = this.#input.progress.recordsTotal * leafEntriesMean >= base.count
    const port = recordPort(this.#io, notes, { isDense, ...leaves })
    return editTree(treeOf(base), apart, port, { kind: 'records' })
  }

  /** Public tree of a base type; for a private type, the hidden one. */
  #baseShadow(type: string): Tree {
    const { hiddenTrees } = this.#input.base.sidecar
    return this.#basePublic.get(type) ?? (Object.hasOwn(hiddenTrees, type) ? hiddenTrees[type]! : emptyTree)
  }

  /** Applies a type's change to the references of the public view, which may gain or lose the type. */
  async #notePublic(
    type: string,
    baseShadow: Tree,
    changes: ReferenceChanges,
    isNew: boolean,
  ): Promise<void> {
    const wasPublic = this.#basePublic.has(type)
    const isPublic = this.#input.schemas.get(type)!.publicHash !== null
    if (wasPublic && (!isPublic || isNew)) await this.#noteTree('public', type, baseShadow, false)
    if (!wasPublic && isPublic && !isNew) await this.#noteTree('public', type, baseShadow, true)
    if (isPublic) await this.#references.public.add(changes)
  }

  async #noteTree(view: 'full' | 'public', type: string, tree: Tree, comes: boolean): Promise<void> {
    // A base without files in its full view has no references.
    if (this.#input.base.full.files.count === 0) return
    await this.#references[view].noteTree(this.#io.objects, type, treeOf(tree), comes)
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
        types: await this.#typeEntries(({ hash, text }) => ({ hash, text }), this.#trees.full),
      },
      public: {
        files: publicFiles.files,
        types: await this.#typeEntries(
          ({ publicHash, publicText }) => ({ hash: publicHash, text: publicText }),
          this.#trees.public,
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
    trees: ReadonlyMap<string, Tree>,
  ): Promise<Record<string, TypeEntry>> {
    const entries: [string, TypeEntry][] = []
    for (const [type, schema] of this.#input.schemas) {
      const { hash, text } = formOf(schema)
      if (hash === null) continue
      if (text !== null) await this.#io.writer.add('plain', hash, encoder.encode(text))
      entries.push([type, { schema: hash, ...trees.get(type)! }])
    }
    return Object.fromEntries(entries)
  }

  #hiddenTrees(): Record<string, Tree> {
    const isHidden = (type: string) => this.#input.schemas.get(type)!.publicHash === null
    return Object.fromEntries([...this.#trees.public].filter(([type]) => isHidden(type)))
  }
}

const encoder = new TextEncoder()

function addCounts(to: Built['changes'], { added, updated, removed }: Built['changes']): void {
  to.added += added
  to.updated += updated
  to.removed += removed
}

const treeOf = ({ root, count, bytes }: Tree): Tree => ({ root, count, bytes })
