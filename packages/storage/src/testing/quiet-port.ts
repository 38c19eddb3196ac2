/** Ports for servers that restart: below the range for outgoing connections, which could take the port in between. */
import { randomInt } from 'node:crypto'
import { createServer } from 'node:net'

const [from, to] = [20_000, 32_000]
const triesMax = 100

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const probe = createServer()
    probe.once('error', () => resolve(false))
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)))
  })

/** A free port of 127.0.0.1 that is likely to stay free. @throws Error if all tried ports are taken */
export async function quietPort(): Promise<number> {
  for (let tries = 0; tries < triesMax; tries++) {
    const port = randomInt(from, to)
    if (await isFree(port)) return port
  }
  throw new Error(`No port from ${from} to ${to} is free.`)
}
