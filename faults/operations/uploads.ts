/** Uploads files. Acknowledged files must stay readable and usable in pushes. */
import { type CollectionModel, fileHashOf } from '../model.ts'
import type { Fate } from '../requests.ts'
import type { Turn } from '../turn.ts'

const sizes = [
  { weight: 6, min: 10, max: 5_000 },
  { weight: 1, min: 1_000_000, max: 6_000_000 },
]
/** Maximum number per collection, to keep the model small. */
const uploadsMax = 4

export async function upload(turn: Turn, collection: CollectionModel): Promise<Fate> {
  const { min, max } = turn.random.weighted(sizes)
  const [again] = collection.uploads.values()
  const isRepeated = collection.uploads.size >= uploadsMax && again !== undefined
  const unit = `${turn.newNumber()} ${turn.random.next()} `
  const text = isRepeated ? again : unit.repeat(Math.ceil(turn.random.between(min, max) / unit.length))
  const hash = fileHashOf(text)
  const answer = await turn.ask('PUT', `${collection.path}/files/${hash}`, { body: text })
  const fate = turn.requests.fateOf(`an upload to ${collection.path}`, answer, [200, 201])
  if (fate === 'done') collection.uploads.set(hash, text)
  return fate
}
