/** Stored leaves where they lie in bytes. For servers: uses Node's `Buffer`. */
export { LeafCursor } from './leaf-cursor.ts'
export { LeafRows, leafChanges } from './leaf-rows.ts'
export * from './lines.ts'
