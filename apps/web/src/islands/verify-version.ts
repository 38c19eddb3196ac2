/** Verifies a version on its page: streams all of it, computes its digest in a worker, and compares it with the registry's digest. */
import type { Progress } from './verify-version-worker.ts'

const button = document.querySelector<HTMLButtonElement>('#verify-version')!
const shown = document.querySelector<HTMLElement>('#verified-version')!
button.hidden = false

button.addEventListener('click', () => {
  const { collection, version, digest, worker } = button.dataset as Record<string, string>
  button.disabled = true
  const thread = new Worker(worker!, { type: 'module' })
  const end = (kind: 'note' | 'note bad', text: string) => {
    shown.className = kind
    shown.textContent = text
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
      )
    else end('note bad', `This is not what the registry says: what came has the digest ${data.digest}.`)
  }
  thread.onerror = ({ message }) => end('note bad', `It could not be verified: ${message}`)
  thread.postMessage({ collection, version, digest })
})
