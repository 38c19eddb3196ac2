/** Text of the header `X-Resource`: what an answer of the API is about. Servers and clients compute it alike. http-api §1. */
import { hashText } from './hash.ts'

/** Longer parts are replaced by their hash, because proxies limit the size of headers. Characters. */
const partMax = 256

/** @param path with percent-encoded segments @param query without `?`, in any equivalent encoding */
export function resourceText(path: string, query = ''): string {
  const parameters = new URLSearchParams(query).toString()
  return path.split('/').map(shortened).join('/') + (parameters && `?${shortened(parameters)}`)
}

const shortened = (part: string): string => (part.length > partMax ? `sha256:${hashText(part)}` : part)
