export { base64Of, bytesOfBase64 } from './base64.ts'
export { type Checkpoint, checkpointText, parseCheckpoint, parseCount } from './checkpoint.ts'
export { LogError, TooFewWitnessesError } from './log-error.ts'
export {
  checkConsistency,
  consistencyProof,
  emptyRoot,
  equalBytes,
  type HashReader,
  inclusionProof,
  leafHashOf,
  nodeHashOf,
  rootByInclusion,
  rootOf,
  type Subtree,
} from './merkle.ts'
export {
  openNote,
  parseSkey,
  parseVkey,
  type Signer,
  signatureLine,
  signerOf,
  signNote,
  skeyOf,
  splitNote,
  type Verified,
  type Verifier,
  verifierOf,
  vkeyOf,
} from './note.ts'
export { type Policy, parsePolicy } from './policy.ts'
export { hashesIn, type LogProof, parseProof, proofText } from './proof-file.ts'
export {
  type Chain,
  demandBytes,
  firstChain,
  firstSlot,
  leafIn,
  leafOf,
  nextChain,
  type OpenedLeaf,
  slotIn,
  slotOf,
} from './slots.ts'
export {
  bytesOfHex,
  commitmentOf,
  fullCommitment,
  hexOf,
  leafBytes,
  type OpenedStatement,
  openedLeaves,
  parseStatement,
  type Statement,
  type StatementKind,
  saltBytes,
  statementText,
} from './statement.ts'
export {
  bundleOf,
  entriesIn,
  hashesInTiles,
  parseTilePath,
  type Tile,
  tilePath,
  tilesSince,
  tileWidth,
} from './tiles.ts'
export {
  type ClaimedVersion,
  checkContinues,
  type ExpectedVersion,
  openCheckpoint,
  type Trust,
  type VerifiedVersion,
  verifyVersion,
} from './verify.ts'
