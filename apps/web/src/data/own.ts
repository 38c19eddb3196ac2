/** Safe look-up of names that users choose: `constructor` and `toString` exist on every object. */

/** An own member of an object; undefined: it has none of that name. */
export const own = <T>(object: Readonly<Record<string, T>>, name: string): T | undefined =>
  Object.hasOwn(object, name) ? object[name] : undefined
