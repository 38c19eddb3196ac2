/** Tasks of a reading thread. */
import { move, transferableSymbol, valueSymbol } from 'piscina'
import {
  type CompareOutcome,
  type CompareTask,
  compareLeaves as leavesCompared,
} from '../stored-leaves/compare-leaves.ts'
import { type FindOutcome, type FindTask, findRecord as recordFound } from '../stored-leaves/find-record.ts'
import { type LeafOutcome, type LeafTask, writeLeaf as leafWritten } from '../stored-leaves/write-leaf.ts'

export async function writeLeaf(task: LeafTask): Promise<LeafOutcome> {
  const outcome = await leafWritten(task)
  if (outcome.kind !== 'lines') return outcome
  return move({ [transferableSymbol]: [outcome.buffer], [valueSymbol]: outcome }) as unknown as LeafOutcome
}

export const compareLeaves = (task: CompareTask): Promise<CompareOutcome> => leavesCompared(task)

export const findRecord = (task: FindTask): Promise<FindOutcome> => recordFound(task)

/** Nothing: what it took to be asked is that the thread has begun. */
export const begin = (): void => undefined
