/** Row types that the sources declare for statements, from TypeScript's checker. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { CallExpression, Node, SourceFile } from 'typescript/unstable/ast'
import { isCallExpression, isPropertyAccessExpression } from 'typescript/unstable/ast/is'
import { API, type Checker, type Type, TypeFlags } from 'typescript/unstable/sync'
import { placesIn, repository, sources } from './recorded.ts'

/** Kind of a value; `other`: not compared. */
export type ValueKind = 'string' | 'number' | 'boolean' | 'Date' | 'bytes' | 'list' | 'other'

export interface DeclaredColumn {
  readonly kind: ValueKind
  readonly isNullable: boolean
}

/** Columns of a row type, by name. */
export type DeclaredRow = ReadonlyMap<string, DeclaredColumn>

/** Row types of all typed calls, by place. Undefined: a parameter of the function around. */
export function declaredRows(): Map<string, DeclaredRow | undefined> {
  const api = new API({ cwd: repository })
  try {
    const snapshot = api.updateSnapshot({ openProjects: [join(repository, 'tsconfig.json')] })
    const { program, checker } = snapshot.getProjects()[0]!
    const rows = new Map<string, DeclaredRow | undefined>()
    for (const file of globSync(sources, { cwd: repository, exclude: ['**/*.test.ts'] })) {
      const path = join(repository, file)
      const calls = typedCallsIn(program.getSourceFile(path)!)
      const places = placesIn(file, readFileSync(path, 'utf8'))
      if (calls.length !== places.length) throw new Error(`${file}: typed calls are not found by their text.`)
      for (const [index, call] of calls.entries())
        rows.set(places[index]!, rowOf(checker, checker.getTypeFromTypeNode(call.typeArguments![0]!)!))
    }
    return rows
  } finally {
    api.close()
  }
}

function typedCallsIn(file: SourceFile): CallExpression[] {
  const calls: { call: CallExpression; at: number }[] = []
  const visit = (node: Node): void => {
    if (isCallExpression(node) && node.typeArguments !== undefined) {
      const { expression } = node
      if (isPropertyAccessExpression(expression) && /^(?:query|lookUp)$/.test(expression.name.text))
        calls.push({ call: node, at: expression.name.end })
    }
    node.forEachChild(visit)
  }
  visit(file)
  return calls.sort((a, b) => a.at - b.at).map(({ call }) => call)
}

function rowOf(checker: Checker, type: Type): DeclaredRow | undefined {
  if (type.isTypeParameter()) return undefined
  return new Map(
    checker.getPropertiesOfType(type).map((property) => {
      const declared = checker.getTypeOfSymbol(property)!
      const parts = declared.isUnionType() ? declared.getTypes() : [declared]
      const values = parts.filter(({ flags }) => (flags & TypeFlags.Nullable) === 0)
      const kinds = new Set(values.map((value) => kindOf(checker, value)))
      const isNullable = values.length < parts.length || (declared.flags & TypeFlags.AnyOrUnknown) !== 0
      return [property.name, { kind: kinds.size === 1 ? [...kinds][0]! : 'other', isNullable }]
    }),
  )
}

function kindOf(checker: Checker, type: Type): ValueKind {
  if ((type.flags & TypeFlags.StringLike) !== 0) return 'string'
  if ((type.flags & TypeFlags.NumberLike) !== 0) return 'number'
  if ((type.flags & TypeFlags.BooleanLike) !== 0) return 'boolean'
  if (checker.isArrayType(type)) return 'list'
  const name = checker.typeToString(type)
  if (name === 'Date') return 'Date'
  return /^(?:Uint8Array|Buffer)\b/.test(name) ? 'bytes' : 'other'
}
