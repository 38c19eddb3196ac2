/** Names that statements, engines, pages and languages use themselves, and names that are easily mistaken for each other. */

/** Aliases, keywords and functions of SQL and DuckDB, and words of ours in statements. */
const sql = [
  ...[
    'value',
    'values',
    'bin',
    'count',
    'each',
    'counted',
    'rows',
    'rowid',
    'records',
    'filled',
    'distinct_values',
  ],
  ...[
    'least',
    'greatest',
    'low',
    'high',
    'mean',
    'deviation',
    'quartiles',
    'shortest',
    'longest',
    'mean_length',
  ],
  ...[
    'select',
    'from',
    'where',
    'order',
    'group',
    'limit',
    'null',
    'true',
    'in',
    'lambda',
    'x',
    't0',
    'main',
  ],
  ...['read_ndjson', 'struct_pack', 'unnest', 'filename', 'json', 'columns', 'current_date', '*', '$1', '?'],
]

/** Members of JavaScript's objects, and names that it orders differently. */
const javascript = [
  ...['constructor', '__proto__', 'prototype', 'valueOf', 'toString', 'hasOwnProperty', 'toJSON', 'then'],
  ...['length', 'name', 'get', 'size', '__defineGetter__', '10', '9', '0'],
]

/** Names in records, schemas, questions and stored tables. */
const ours = [
  ...[
    '_id',
    '_search',
    'id',
    'type',
    'data',
    'private',
    'properties',
    'required',
    'propertyOrder',
    '$file',
    '$ref',
  ],
  ...['.value', '.rowid', '._id', '_', '_2', 'eq', 'row', 'line', 'date'],
]

/** Blanks, quotation marks, signs of pointers and paths, and twins. */
const awkward = [
  ...[
    '',
    ' ',
    '.',
    '..value',
    'a b',
    'a.b',
    "it's",
    'quo"te',
    '"',
    'a/b~c',
    '~1',
    '%',
    '\\',
    'a,b',
    '-value',
  ],
  ...['Value', 'VALUE', 'Records', 'ſ', 's', 'S', '\u212a', 'k', 'é', 'e\u0301', 'İ', '名', '𝒳'],
]

export const takenNames: readonly string[] = [...sql, ...javascript, ...ours, ...awkward]
