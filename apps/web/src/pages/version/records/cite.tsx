/** The citation of the records on the page. */
import { ResultCitation } from '../../../components/result-citation.tsx'
import { oneLine } from '../../../data/citation.ts'
import type { VersionResponse } from '../../../data/collection.ts'
import { countText } from '../../../format.ts'
import type { Visit } from '../../../page.ts'
import { fixedAddress, pathTo, type RecordsAddress } from '../../../record-table/address.ts'
import type { PageColumn } from '../../../record-table/columns.ts'
import { questionText } from './present.tsx'
import type { Question } from './question.tsx'

interface Props {
  readonly address: RecordsAddress
  readonly version: VersionResponse
  readonly question: Question
  /** Records that match. */
  readonly total: number
  /** Records of the type. */
  readonly count: number
  readonly all: readonly PageColumn[]
  readonly visit: Visit
}

export function CiteRecords({ address, version, question, total, count, all, visit }: Props) {
  if (question.state !== 'none' && question.state !== 'answered') return null
  const size = question.state === 'none' ? countText(count) : `${countText(total)} of ${countText(count)}`
  const part = `${size} ${count === 1 ? 'record' : 'records'} of type ${oneLine(address.type)}${questionText(address, all)}`
  const { seen, ...rest } = fixedAddress(address)
  // Readers of the citation have the public view without asking for it.
  const path = pathTo({ ...rest, seen: { ...seen, inView: (to) => to } })
  return <ResultCitation {...{ seen: address.seen, version, part, path, visit }} />
}
