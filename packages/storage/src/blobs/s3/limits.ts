/** Limits of the S3 store, which the configuration is checked against. A separate module, because store.ts loads the client library. */

/** Size of an upload part. Each part is buffered in memory until the store has confirmed it. Bytes; S3 allows no smaller parts. */
export const partBytes = 5 * 1_048_576
/** Largest blob: 10,000 parts (a limit of S3). Bytes. */
export const s3BlobBytesMax = 10_000 * partBytes
