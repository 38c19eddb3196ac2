/**
 * Thread of the embedded database: speaks PostgreSQL's protocol. It reports that it is ready, then receives ports:
 * each is a connection that a driver uses like a socket. A null shuts PostgreSQL down cleanly. There is one session,
 * so a new connection takes it from the previous one.
 */
import { type MessagePort, parentPort, workerData } from 'node:worker_threads'
import { answerOf, serialize, startPostgres } from './postgres.ts'

const postgres = await startPostgres(workerData as string)
const parent = parentPort!

/** Clears the state of a session: an open transaction, statements, locks. */
async function resetSession(): Promise<void> {
  for (const text of ['rollback', 'discard all']) await answerOf(postgres, serialize.query(text))
}

let connected: MessagePort | undefined

async function connect(port: MessagePort): Promise<void> {
  connected?.close()
  connected = port
  await resetSession()
  port.on('message', async (sent: Uint8Array) => {
    const answer = await answerOf(postgres, sent)
    port.postMessage(answer, [answer.buffer])
  })
}

parent.on('message', async (port: MessagePort | null) => {
  if (port !== null) return connect(port)
  connected?.close()
  await postgres.close()
  parent.close()
})
parent.postMessage('ready')
