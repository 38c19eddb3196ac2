/**
 * Entry `@ulmus/content/stored`: access to stored leaves in place. For servers only, because it uses Node's `Buffer`; browsers load the
 * main entry.
 */
export { LeafCursor } from './leaf-cursor.ts'
export { LeafRows, leafChanges } from './leaf-rows.ts'
export * from './lines.ts'
