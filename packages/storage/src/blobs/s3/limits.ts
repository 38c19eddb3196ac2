/** Limits of the S3 store that are known without its client library. */

/** A part of a blob is gathered in memory and kept until the store has it. Bytes; S3 allows no less. */
export const partBytes = 5 * 1_048_576
/** The largest blob: 10,000 parts (a limit of S3). Bytes. */
export const s3BlobBytesMax = 10_000 * partBytes
