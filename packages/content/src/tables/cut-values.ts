/** Values in statistics and facets, which are cut: records may have texts of megabytes. docs/queries.md */

/** Characters (code points) of a value in statistics and facets. Longer ones end with `…`, so that cut values have one character more. */
export const valueCharactersMax = 100

/** True for a value of statistics or facets that is only the beginning of one: a filter by it would find nothing. */
export const isCutValue = (value: unknown): boolean =>
  typeof value === 'string' && value.length > valueCharactersMax && [...value].length > valueCharactersMax
