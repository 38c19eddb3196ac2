/** Suggests the part of an address from a name. */

/** Longest slug of a collection. http-api. Characters. */
const slugMax = 100

/** `Tromsø: cities & towns` → `tromso-cities-towns`; empty if the name has no letter or digit of ASCII. */
export const slugFor = (name: string): string =>
  name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll('ø', 'o')
    .replaceAll('ß', 'ss')
    .replaceAll('æ', 'ae')
    .replaceAll('đ', 'd')
    .replaceAll('ł', 'l')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, slugMax)
    .replace(/^-+|-+$/g, '')
