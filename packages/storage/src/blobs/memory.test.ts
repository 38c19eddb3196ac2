import { blobStoreContract } from './blob-store.contract.ts'
import { openMemoryStore } from './memory.ts'

blobStoreContract('memory', async () => ({ store: openMemoryStore(), dispose: async () => undefined }))
