/**
 * Entries of `confirm_public` for records that lose their private mark. A type contains no slash, so the first one ends it; an id that would
 * read as `*` gets a backslash more, so that no id can confirm a whole type.
 */

/** Entry for one record. */
export const recordToConfirm = ({ type, id }: { type: string; id: string }): string =>
  `${type}/${/^\\*\*$/.test(id) ? `\\${id}` : id}`

/** Entry for all records of a type. */
export const recordsToConfirm = (type: string): string => `${type}/*`
