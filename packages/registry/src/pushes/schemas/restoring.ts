/** Repair of damaged schemas by a push that contains them: otherwise its base could not be read. */
import { openObjectWriter, recordPacks } from '@ulmus/storage'
import type { Context } from '../../context.ts'
import { abortOnError } from '../../versions/land.ts'
import type { PushSchema } from './push-schema.ts'

/** Also stores schemas that the index lacks: mostly none, and a sweep removes unneeded ones. */
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
