/** `/downloads`: the packages that this server offers to its users. */
import { Code, CopyButton, Empty } from '../../components/small.tsx'
import { sizeText } from '../../format.ts'
import type { Download, Page } from '../../page.ts'

const title = 'Downloads'

/** Reload interval while the packages are being built. Seconds. */
const reloadSeconds = 3

export const downloads: Page = {
  async show(visit) {
    const state = visit.downloads()
    const isBuilding = state.kind === 'building'
    return {
      title,
      description: 'The command line and the libraries that fit this registry.',
      ...(isBuilding ? { reloadSeconds } : {}),
      body: (
        <div class="wide content">
          <h1>{title}</h1>
          <p>
            The command line and the libraries that fit this registry, for Node 20 and newer. They need no
            other package, so npm asks no other registry for them.
          </p>
          {state.kind === 'ready' &&
            state.downloads.map((one) => <Offer key={one.file} download={one} origin={visit.origin} />)}
          {state.kind === 'ready' && (
            <p class="quiet">
              All hashes in one file, for <code>sha256sum --check</code>:{' '}
              <a href="/downloads/SHA256SUMS">SHA256SUMS</a>
            </p>
          )}
          {isBuilding && (
            <Empty title="The packages are being built.">
              <p>
                This server runs from its sources, so the first request builds them. It takes about a minute.
                The page loads itself again.
              </p>
            </Empty>
          )}
          {state.kind === 'failed' && (
            <Empty title="The packages could not be built.">
              <p>
                This server runs from its sources. The reason is in its log: usually the development
                dependencies are missing, which <code>npm ci</code> installs. Ten minutes after a failure the
                next request builds them again.
              </p>
            </Empty>
          )}
        </div>
      ),
    }
  },
}

interface Use {
  readonly title: string
  readonly what: string
  /** Arguments of the npm command: `install --global`. */
  readonly install: string
  readonly manual: string
}

const uses: Readonly<Record<string, Use>> = {
  ulmus: {
    title: 'Command line',
    what: 'Collections as folders: import files, push, pull, verify.',
    install: 'install --global',
    manual: '/docs/cli',
  },
  'ulmus-client': {
    title: 'Client',
    what: 'Reads and publishes from JavaScript and TypeScript, in Node and browsers.',
    install: 'install',
    manual: '/docs/client',
  },
  'ulmus-content': {
    title: 'Content',
    what: 'Hashes, trees, digests and proofs, for verifiers.',
    install: 'install',
    manual: '/docs/verifying',
  },
}

const Offer = ({
  download: { name, file, size, sha256 },
  origin,
}: {
  download: Download
  origin: string
}) => {
  const { title, what, install, manual } = uses[name]!
  return (
    <section>
      <h2>{title}</h2>
      <p>
        {what} <a href={manual}>Documentation</a>
      </p>
      <Code>{`npm ${install} ${origin}/downloads/${file}`}</Code>
      <p class="quiet">
        <a href={`/downloads/${file}`}>{file}</a>, {sizeText(size)}, SHA-256 <code>{sha256}</code>
        <CopyButton text={sha256} what="the hash" />
      </p>
    </section>
  )
}
