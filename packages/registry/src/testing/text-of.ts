/** Whole text of a stream that reuses the memory of its chunks. */
export async function textOf(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const copied = await Array.fromAsync(chunks, (chunk) => Buffer.from(chunk))
  return Buffer.concat(copied).toString('utf8')
}
