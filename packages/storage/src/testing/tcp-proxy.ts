/**
 * TCP proxy on loopback in front of a database or a bucket, which simulates network failures on request. For failures of single HTTP
 * requests see flaky-proxy.ts.
 */
import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { quietPort } from './quiet-port.ts'

export type NetworkState =
  | { readonly kind: 'pass' }
  /** Stops listening and closes connections. */
  | { readonly kind: 'refuse' }
  /** Connections are reset (RST), new ones right after they are accepted. */
  | { readonly kind: 'reset' }
  /** Nothing passes in either direction, not even ends; connections are accepted but never answered. */
  | { readonly kind: 'hang' }
  /** Everything is delayed, in order. Milliseconds for each piece of up to 64 KiB. */
  | { readonly kind: 'delay'; readonly milliseconds: number }

/** Both ends of one connection. */
interface Pair {
  readonly client: Socket
  readonly server: Socket
  /** Nothing passes any longer, as if a firewall had forgotten the connection; neither side notices the other's end. */
  isForgotten: boolean
}

export class TcpProxy {
  /** Address for new connections. */
  target: { host: string; port: number }
  readonly #server = createServer({ allowHalfOpen: true }, (client) => this.#accept(client))
  readonly #pairs = new Set<Pair>()
  #state: NetworkState = { kind: 'pass' }
  #changed = Promise.withResolvers<void>()
  #port = 0

  private constructor(target: { host: string; port: number }) {
    this.target = target
  }

  static async before(target: { host: string; port: number }): Promise<TcpProxy> {
    const proxy = new TcpProxy(target)
    await proxy.#listen(await quietPort())
    return proxy
  }

  /** Port on 127.0.0.1; stays the same across stops and restarts. */
  get port(): number {
    return this.#port
  }

  get connections(): number {
    return this.#pairs.size
  }

  /** @param options.forgetting connections that are open now stay forgotten, whatever the later states */
  async become(state: NetworkState, options: { forgetting?: boolean } = {}): Promise<void> {
    if (options.forgetting === true) for (const pair of this.#pairs) pair.isForgotten = true
    this.#state = state
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
    if (state.kind === 'reset' || state.kind === 'refuse') this.#end(state.kind)
    if (state.kind === 'refuse') await this.#leave()
    else if (!this.#server.listening) await this.#listen(this.#port)
  }

  async close(): Promise<void> {
    this.#state = { kind: 'refuse' }
    this.#changed.resolve()
    this.#end('refuse')
    await this.#leave()
  }

  async #listen(port: number): Promise<void> {
    this.#server.listen(port, '127.0.0.1')
    await once(this.#server, 'listening')
    const address = this.#server.address()
    if (typeof address === 'object' && address !== null) this.#port = address.port
  }

  async #leave(): Promise<void> {
    if (!this.#server.listening) return
    const closed = once(this.#server, 'close')
    this.#server.close()
    await closed
  }

  #end(how: 'reset' | 'refuse'): void {
    for (const { client, server } of this.#pairs)
      for (const socket of [client, server])
        if (how === 'reset') socket.resetAndDestroy()
        else socket.destroy()
  }

  #accept(client: Socket): void {
    if (this.#state.kind === 'reset') return void client.resetAndDestroy()
    const server = connect({ ...this.target, allowHalfOpen: true, noDelay: true })
    client.setNoDelay(true)
    const pair: Pair = { client, server, isForgotten: false }
    this.#pairs.add(pair)
    for (const [socket, other] of [
      [client, server],
      [server, client],
    ] as const) {
      socket.on('error', () => undefined)
      socket.once('close', (hadError) => void this.#closed(pair, other, hadError))
      void this.#pump(pair, socket, other)
    }
  }

  /** Passes an end on to the other side once the network state permits. */
  async #closed(pair: Pair, other: Socket, hadError: boolean): Promise<void> {
    await this.#passable(pair)
    if (hadError) other.destroy()
    else if (!other.destroyed) other.destroySoon()
    if (pair.client.destroyed && pair.server.destroyed) this.#pairs.delete(pair)
  }

  async #pump(pair: Pair, from: Socket, to: Socket): Promise<void> {
    try {
      for await (const chunk of from as AsyncIterable<Buffer>) {
        await this.#passable(pair)
        if (!to.write(chunk)) await Promise.race([once(to, 'drain'), once(to, 'close')])
      }
      await this.#passable(pair)
      to.end()
    } catch {
      // `close` handles its end.
    }
  }

  /** Resolves when a piece may pass; for a forgotten connection only when the proxy closes it. */
  async #passable(pair: Pair): Promise<void> {
    if (this.#state.kind === 'delay' && !pair.isForgotten) await sleep(this.#state.milliseconds)
    while (pair.isForgotten ? this.#state.kind !== 'refuse' : this.#state.kind === 'hang')
      await this.#changed.promise
  }
}
