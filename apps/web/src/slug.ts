/** Suggests the part of an address from a name. */

/**
 * `Tromsø: cities & towns` → `tromso-cities-towns`; empty if the name has no letter or digit of ASCII.
 * @param most characters of the slug
 */
export const slugFor = (name: string, most: number): string =>
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
    .slice(0, most)
    .replace(/^-+|-+$/g, '')
