/** Kills and freezes servers. */
import { type Fault, onEach, rowsAlone } from './fault.ts'

const none = () => Promise.resolve()
const always = () => true

export const kill: Fault = {
  kind: 'kill -9 of a server',
  weight: 6,
  isPossible: always,
  prepare({ stage, random }) {
    const server = random.pick(stage.servers)
    const others = stage.servers.filter((one) => one !== server)
    return {
      what: server.name,
      lasts: random.between(0, 1_500),
      meanwhile: onEach(others, rowsAlone, [200]),
      begin: async () => void (await server.end('SIGKILL')),
      end: async () => server.start(),
    }
  },
}

export const killAll: Fault = {
  kind: 'kill -9 of all servers',
  weight: 2,
  isPossible: ({ servers }) => servers.length > 1,
  prepare({ stage, random }) {
    return {
      what: 'at once',
      lasts: random.between(0, 1_500),
      begin: async () => void (await Promise.all(stage.servers.map((server) => server.end('SIGKILL')))),
      async end() {
        for (const server of stage.servers) server.start()
      },
    }
  },
}

/** Kills a server again before it is ready: an interrupted start must be harmless. */
export const killTwice: Fault = {
  kind: 'kill -9 of a server, again while it starts',
  weight: 2,
  isPossible: always,
  prepare({ stage, random }) {
    const server = random.pick(stage.servers)
    return {
      what: server.name,
      lasts: random.between(100, 1_500),
      async begin() {
        await server.end('SIGKILL')
        server.start()
      },
      async end() {
        await server.end('SIGKILL')
        server.start()
      },
    }
  },
}

export const terminate: Fault = {
  kind: 'SIGTERM of a server',
  weight: 2,
  isPossible: always,
  prepare({ stage, random }) {
    const server = random.pick(stage.servers)
    return {
      what: server.name,
      lasts: random.between(0, 500),
      begin: async () => void (await server.end('SIGTERM')),
      end: async () => server.start(),
    }
  },
}

export const freeze: Fault = {
  kind: 'a server stands still (SIGSTOP)',
  weight: 5,
  isPossible: always,
  prepare({ stage, random, lastsMax }) {
    const server = random.pick(stage.servers)
    const others = stage.servers.filter((one) => one !== server)
    return {
      what: server.name,
      lasts: random.between(500, lastsMax),
      meanwhile: onEach(others, rowsAlone, [200]),
      begin: async () => server.freeze(),
      end: async () => server.thaw(),
    }
  },
}

export const restartPostgres: Fault = {
  kind: 'PostgreSQL restarts',
  weight: 4,
  isPossible: ({ postgres }) => postgres !== undefined,
  prepare({ stage, random }) {
    const how = random.pick(['crash', 'fast'] as const)
    return { what: how, lasts: 0, begin: () => stage.postgres!.restart(how), end: none }
  },
}
