/** Uploads a chosen file to the collection, and fills in the inputs of the reference to it (pages/publish/record/inputs.tsx). */
import { hashBytes, parseJson } from '@ulmus/content'

/** The whole file is hashed in memory, and the page waits for it. Bytes. */
const fileBytesMax = 100_000_000

for (const box of document.querySelectorAll<HTMLElement>('[data-files]')) {
  const input = box.querySelector('input')!
  const state = box.querySelector('p')!
  const { at, files } = box.dataset as { at: string; files: string }
  box.hidden = false
  input.addEventListener('change', async () => {
    const [file] = input.files ?? []
    if (file === undefined) return
    state.textContent = 'Uploading…'
    input.disabled = true
    try {
      fill(input.form!, at, await upload(file, files))
      state.textContent = `${file.name} is uploaded. Save the record to publish it.`
    } catch (error) {
      state.textContent = `${(error as Error).message} Choose it again to retry.`
    }
    input.disabled = false
    input.value = ''
  })
}

type Reference = Readonly<Record<string, string | number>>

/** @throws Error with a sentence for people */
async function upload(file: File, files: string): Promise<Reference> {
  if (file.size > fileBytesMax)
    throw new Error('Files above 100 MB are uploaded by the command line or the API.')
  const hash = `sha256:${hashBytes(new Uint8Array(await file.arrayBuffer()))}`
  const type = file.type || 'application/octet-stream'
  const answer = await fetch(`${files}/${hash}`, {
    method: 'PUT',
    body: file,
    headers: { 'Content-Type': type },
  })
  if (!answer.ok) {
    const { error } = (await answer.json().catch(() => ({}))) as { error?: string }
    throw new Error(error ?? `The registry answered ${answer.status}.`)
  }
  return { $file: hash, name: file.name, size: file.size, type, contentType: type, mediaType: type }
}

/** Fills the inputs that the schema has for the reference; as JSON, its hash, name and size. */
function fill(form: HTMLFormElement, at: string, reference: Reference): void {
  const whole = form.elements.namedItem(at)
  if (whole instanceof HTMLTextAreaElement) {
    const { $file, name, size } = reference
    whole.value = JSON.stringify({ ...objectIn(whole.value), $file, name, size }, null, 2)
    whole.dispatchEvent(new Event('input'))
  }
  for (const [name, value] of Object.entries(reference)) {
    const input = form.elements.namedItem(`${at}/${name}`)
    if (input instanceof HTMLInputElement) input.value = String(value)
  }
}

/** Members of a JSON object; none of any other text. */
function objectIn(text: string): object {
  try {
    return text.trimStart().startsWith('{') ? (parseJson(text) as object) : {}
  } catch {
    return {}
  }
}
