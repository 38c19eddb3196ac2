import { expect, test } from 'vitest'
import { tlsReason } from './tls-reason.ts'

const alert =
  'write EPROTO 40:error:0A00042E:SSL routines:ssl3_read_bytes:tlsv1 alert protocol version:../deps/a.c:90:SSL alert number 70\n'

test.each([
  ['40:error:0A00010B:SSL routines:tls_validate_record_header:wrong version number:../d/a.c:77:\n', 'plain'],
  [alert, 'TLS failed: tlsv1 alert protocol version'],
  ['self-signed certificate', 'self-signed certificate'],
])('%j', (message, words) => expect(tlsReason(message, 'plain')).toBe(words))
