/** Head of the page of a saved question, above the answer that the page of records or of SQL renders. */
import type { SavedQuestion } from '@ulmus/wire'
import { createContext } from 'preact'
import { useContext } from 'preact/hooks'
import { Badge, Name } from '../components/small.tsx'
import type { VisitedCollection } from '../data/collection.ts'
import { askingPath, questionPath } from '../data/questions.ts'
import { apiCollectionPath, versionPath, withQuery } from '../paths.ts'

/** The saved question whose answer the page shows; undefined on all other pages. */
export const SavedQuestionContext = createContext<SavedQuestion | undefined>(undefined)

/** Longer names are cut. Characters. */
const nameMax = 200

/** Since when the answer is the same. Of a public question it is the answer for all readers, whatever else members see. */
function SameSince({ seen, question: { since, public: isPublic } }: HeadProps) {
  if (since === null) return null
  const place = { owner: seen.owner, slug: seen.slug, version: since }
  return (
    <>
      {isPublic && seen.readsAll ? '; for all readers' : ';'} the same answer since{' '}
      <a href={seen.inView(versionPath(place))}>{since}</a>
    </>
  )
}

interface HeadProps {
  readonly seen: VisitedCollection
  readonly question: SavedQuestion
}

export function SavedQuestionHead({ seen }: { seen: VisitedCollection }) {
  const question = useContext(SavedQuestionContext)
  if (question === undefined) return null
  const { name, version, semver, type } = question
  const isFixed = version !== 'latest'
  const answer = seen.inView(apiCollectionPath(seen, 'questions', question.slug, 'answer'))
  return (
    <header class="section-head saved-question">
      <div>
        <h2>
          <Name of={name} most={nameMax} />
        </h2>
        <p class="quiet">
          {type === null ? 'A question in SQL' : <>Records of type {<Name of={type} most={nameMax} />}</>}{' '}
          about {isFixed ? `${version}: the answer never changes` : `the latest version, ${semver}`}
          <SameSince seen={seen} question={question} />
          {seen.readsAll && !question.public && (
            <>
              {' '}
              <Badge tone="private">Private</Badge>
            </>
          )}
        </p>
      </div>
      <span class="downloads">
        <a href={askingPath(seen, question, isFixed ? version : undefined)} rel="nofollow">
          Explore
        </a>
        <a href={withQuery(answer, { format: 'csv' })} rel="nofollow">
          CSV
        </a>
        <a href={answer} rel="nofollow">
          JSON
        </a>
        {seen.may('describe') && <a href={questionPath(seen, question, 'edit')}>Edit</a>}
      </span>
    </header>
  )
}
