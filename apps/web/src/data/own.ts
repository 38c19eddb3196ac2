/** Names that strangers choose are also `constructor` and `toString`, which every object answers to. */

/** A member that an object has itself; undefined: it has none of that name. */
export const own = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
