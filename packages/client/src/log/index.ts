/**
 * Public API of `@ulmus/client/log`, which verifies versions in the signed log. Apart from `@ulmus/client`, so that programs and pages
 * that do not use it do not load Ed25519.
 */
export { LogError, type Statement } from '@ulmus/content/log'
export {
  type KnownCheckpoint,
  type LoggedVersion,
  type LogTrust,
  readCheckpoint,
  type SignedCheckpoint,
  type VersionToVerify,
  verifyContinues,
  verifyInLog,
  verifyStatement,
} from './verification.ts'
