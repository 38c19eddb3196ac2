/** The whole text of a stream whose chunks' memory may be used again once the next is asked for. */
export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const copied = await Array.fromAsync(chunks, (chunk) => Buffer.from(chunk))
  return Buffer.concat(copied).toString('utf8')
}
