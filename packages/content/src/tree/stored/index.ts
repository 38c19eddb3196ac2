/** Access to stored leaves in place. For servers: uses Node's `Buffer`. */
export { LeafCursor } from './leaf-cursor.ts'
export { LeafRows, leafChanges } from './leaf-rows.ts'
export * from './lines.ts'
