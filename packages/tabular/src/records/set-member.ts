/** Sets members of data by names that a file chose. */

/** @param path names from the outside in; empty: sets all members of `value` */
export function setWithin(data: Record<string, unknown>, path: readonly string[], value: unknown): void {
  if (path.length === 0) {
    for (const [name, member] of Object.entries(value as object)) setMember(data, name, member)
    return
  }
  let object = data
  for (const name of path.slice(0, -1)) {
    if (!Object.hasOwn(object, name)) setMember(object, name, {})
    object = object[name] as Record<string, unknown>
  }
  setMember(object, path.at(-1)!, value)
}

/** Sets a member of any name: an assignment to `__proto__` would set the prototype. */
export function setMember(data: Record<string, unknown>, name: string, value: unknown): void {
  if (name !== '__proto__') data[name] = value
  else Object.defineProperty(data, name, { value, enumerable: true, configurable: true, writable: true })
}
