/** Words for errors of TLS, whose own text is a trace: `…:error:0A00010B:SSL routines:function:wrong version number:file:77:`. */
const trace = /:SSL routines:[^:]*:([^:\n]+):/

/** OpenSSL's reasons for an answer in another protocol, such as plain HTTP. */
const plainReasons = new Set(['wrong version number', 'packet length too long'])

/** Of a URL that names the wrong protocol. */
export const httpsOfPlain = 'it does not speak TLS: http:// instead of https://?'

/**
 * @param message of any error
 * @param plain what to say of a server that does not speak TLS
 * @returns the message, without OpenSSL's trace
 */
export function tlsReason(message: string, plain: string): string {
  const reason = trace.exec(message)?.[1]
  if (reason === undefined) return message
  return plainReasons.has(reason) ? plain : `TLS failed: ${reason}`
}
