/** Schemas that are damaged where they are stored, put in order by a push that brings them: its base could not be read otherwise. */
import { openObjectWriter, recordPacks } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { abortOnError } from '../../versions/land.ts'
import type { PushSchema } from './push-schema.ts'

/** Stores those that the index lacks, too: mostly none, and a sweep takes what no version comes to need. */
export async function restoreSchemas(
  { database, blobs, objects }: Pick<Context, 'database' | 'blobs' | 'objects'>,
  brought: ReadonlyMap<string, PushSchema>,
): Promise<void> {
  const writer = openObjectWriter({ database, blobs, objects })
  await abortOnError(writer, async () => {
    for (const { hash, text, publicHash, publicText } of brought.values()) {
      await writer.add('plain', hash, encoder.encode(text))
      if (publicHash !== null && publicText !== null)
        await writer.add('plain', publicHash, encoder.encode(publicText))
    }
    const packed = await writer.finish()
    await database.transact((tx) => recordPacks(tx, packed))
    for (const { kind, hash } of packed.replaced) objects.forget(kind, hash)
  })
}

const encoder = new TextEncoder()
