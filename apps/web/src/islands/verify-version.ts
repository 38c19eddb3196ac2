/**
 * Verifies a version on its page: streams all of it, computes its digest in a worker, compares it with the registry's digest, and finds it
 * in the signed log.
 */
import { instantText } from './shared/instant.ts'
import type { Logged, Progress } from './verify-version-worker.ts'

const button = document.querySelector<HTMLButtonElement>('#verify-version')!
const shown = document.querySelector<HTMLElement>('#verified-version')!
const inLog = document.querySelector<HTMLElement>('#logged-version')!
button.hidden = false

function element(name: string, ...content: (string | Node)[]): HTMLElement {
  const made = document.createElement(name)
  made.append(...content)
  return made
}

function partsOf(logged: Logged): Node[] {
  if (logged.kind !== 'proven') {
    const said =
      logged.kind === 'none' ? 'The signed log does not show it.' : 'The signed log does not prove it:'
    return [element('p', `${said} ${logged.reason}`)]
  }
  const { name, origin, index, size, at, keys, others } = logged
  const facts: [string, (string | Node)[]][] = [
    [
      'Log',
      [
        `${origin}, entry ${index.toLocaleString('en-US')} (the first is 0) of ${size.toLocaleString('en-US')}`,
      ],
    ],
    ['Under', [name]],
    ['Since', [instantText(at)]],
    ['Signed by', keys.map((key) => element('code', key))],
    ['Witnesses', [others.length === 0 ? 'None' : `${others.join(', ')} (not checked here)`]],
  ]
  const list = element(
    'dl',
    ...facts.flatMap(([name, value]) => [element('dt', name), element('dd', ...value)]),
  )
  list.className = 'facts-list'
  return [
    element(
      'p',
      'In the signed log: the registry stated this digest for this version. If it states another one to others, the two signatures prove it.',
    ),
    list,
    element(
      'p',
      'It does not show that the data is true, or that others see the same log. And this page and the key come from one server: a server that lies can send a page that lies. To be sure, compare the key with one that you know, and verify with another program.',
    ),
  ]
}

button.addEventListener('click', () => {
  const { collection, version, digest, worker } = button.dataset as Record<string, string>
  button.disabled = true
  const thread = new Worker(worker!, { type: 'module' })
  const end = (kind: 'note' | 'note bad', text: string, logged?: Logged) => {
    shown.className = kind
    shown.replaceChildren(text)
    inLog.replaceChildren(...(logged === undefined ? [] : partsOf(logged)))
    inLog.className = logged?.kind === 'wrong' ? 'note bad' : 'note'
    inLog.hidden = logged === undefined
    button.disabled = false
    thread.terminate()
  }
  thread.onmessage = ({ data }: MessageEvent<Progress>) => {
    if (data.kind === 'failed') return end('note bad', `It could not be verified: ${data.reason}`)
    if (data.kind === 'progress') {
      shown.className = 'note'
      shown.textContent = `${data.records.toLocaleString('en-US')} records hashed…`
    } else if (data.digest === digest)
      end(
        'note',
        `Verified: ${data.records.toLocaleString('en-US')} records, schemas, metadata and files have exactly the digest ${data.digest.slice(0, 20)}….`,
        data.logged,
      )
    else end('note bad', `This is not what the registry says: what came has the digest ${data.digest}.`)
  }
  thread.onerror = ({ message }) => end('note bad', `It could not be verified: ${message}`)
  thread.postMessage({ collection, version, digest })
})
