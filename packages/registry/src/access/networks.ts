/** Networks that requests come from, for counting: one machine owns a whole /64 network of IPv6. */
/** Counting key of a peer: an IPv4 address, or the /64 network of an IPv6 address, since one machine owns all of it. */
export function peerOf(remoteAddress = ''): string {
  const address = withoutMapping(remoteAddress)
  return address.includes(':') ? networkOf(address) : address
}

/** Prefix of an IPv4 address on a dual-stack socket. */
export const withoutMapping = (address: string) => address.replace(/^::ffff:(?=[\d.]+$)/i, '')

/** The /64 network of an IPv6 address. */
export function networkOf(address: string): string {
  const [head = '', tail] = address.split('%')[0]!.split('::')
  const groups = head === '' ? [] : head.split(':')
  const after = tail === undefined || tail === '' ? 0 : tail.split(':').length
  // `::` stands for the zeros missing from eight groups.
  while (tail !== undefined && groups.length + after < 8) groups.push('0')
  return groups.slice(0, 4).join(':')
}
