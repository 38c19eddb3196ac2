/** Verifies a record on its page: fetches its proof and checks it in the browser, trusting the registry only for the digest. */
import { verifyProof } from '@ulmus/client'
import { hashText, parseJson } from '@ulmus/content'
import type { ProvenRecord } from '@ulmus/wire'

const button = document.querySelector<HTMLButtonElement>('#verify')!
const shown = document.querySelector<HTMLElement>('#verified')!
button.hidden = false

function show(
  kind: 'ok' | 'bad',
  text: string,
  steps: readonly (readonly [what: string, hash: string])[] = [],
): void {
  const list = document.createElement('ol')
  for (const [what, hash] of steps) {
    const item = document.createElement('li')
    const code = document.createElement('code')
    code.textContent = hash.slice(0, 16)
    code.title = hash
    item.append(code, ` ${what}`)
    list.append(item)
  }
  const sentence = document.createElement('p')
  sentence.textContent = text
  shown.className = kind === 'ok' ? 'note' : 'note bad'
  shown.replaceChildren(sentence, ...(steps.length > 0 ? [list] : []))
}

button.addEventListener('click', async () => {
  button.disabled = true
  try {
    const { proof: path, digest } = button.dataset as { proof: string; digest: string }
    const [type, id] = path.split('?')[0]!.split('/').slice(-2).map(decodeURIComponent)
    const answer = await fetch(path)
    if (!answer.ok) throw new Error(`The registry answered ${answer.status}.`)
    const record = parseJson(await answer.text()) as ProvenRecord
    if (record.type !== type || record.id !== id)
      return show('bad', `The registry sent the proof of another record: ${record.type}/${record.id}.`)
    const result = verifyProof(digest, record)
    if (!result.ok) return show('bad', `This does not prove it: ${result.reason}`)
    const { canonical, nodes, document: text } = record.proof!
    show(
      'ok',
      'Proven: this record belongs to the version with this digest. Each hash is in what stands below it.',
      [
        ['the record', hashText(canonical)],
        ...nodes.map(
          (node, level) =>
            [level === 0 ? 'the leaf that lists it' : `node ${level} above it`, hashText(node)] as const,
        ),
        ['the version’s document: its digest', hashText(text)],
      ],
    )
  } catch (error) {
    show('bad', `It could not be verified: ${(error as Error).message}`)
  } finally {
    button.disabled = false
  }
})
