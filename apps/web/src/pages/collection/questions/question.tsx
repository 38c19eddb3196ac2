/** `…/questions/:question`: a saved question with its answer, which the page of records or of SQL renders. */

import type { SavedQuestion } from '@ulmus/wire'
import { pictureIslands } from '../../../components/save-picture.tsx'
import { seeCollection, seeVersion } from '../../../data/collection.ts'
import { questionFeeds, questionPath, urlOfAnswer } from '../../../data/questions.ts'
import { CollectionPage } from '../../../layout/collection.tsx'
import { SavedQuestionContext } from '../../../layout/saved-question.tsx'
import { type Answer, type Page, Plain, Redirect, type Visit } from '../../../page.ts'
import { apiCollectionPath, collectionPath } from '../../../paths.ts'
import { BuildingNote } from '../../version/records/question.tsx'
import { records } from '../../version/records/records.tsx'
import { answerMax, readAnswer, reloadSeconds } from '../../version/sql.tsx'
import { drawAnswer } from '../../version/sql-drawing.tsx'
import { RefusedStatement } from '../../version/sql-form.tsx'
import { Result } from '../../version/sql-result.tsx'

export const question: Page = {
  async show(visit) {
    const seen = await seeCollection(visit)
    const saved = await visit.registry.questions.get(seen.who, seen, visit.params['question']!)
    const { type, version } = saved
    const params = {
      ...visit.params,
      ...(type !== null && { type }),
      ...(version !== 'latest' && { version }),
    }
    const asking = { ...visit, params, url: urlOfAnswer(saved, visit.url) }
    const answer = type === null ? await showStatement(asking, saved) : await records.show(asking)
    if (answer instanceof Redirect || answer instanceof Plain) return answer
    return {
      ...answer,
      title: `${saved.name} · ${seen.owner}/${seen.slug}`,
      description: `${saved.name}: a question about ${seen.owner}/${seen.slug}.`,
      canonical: questionPath(seen, saved),
      isPublic: seen.isPublic && saved.public,
      feeds: questionFeeds(seen, saved),
      json: apiCollectionPath(seen, 'questions', saved.slug, 'answer'),
      body: <SavedQuestionContext.Provider value={saved}>{answer.body}</SavedQuestionContext.Provider>,
    }
  },
}

async function showStatement(visit: Visit, saved: SavedQuestion): Promise<Answer> {
  const { seen, version } = await seeVersion(visit)
  if (version === null) return new Redirect(collectionPath(seen), 302)
  const { questions } = visit.registry
  const question = await questions.resolve(seen.who, seen, saved.slug)
  const { answer, building, refused } = await readAnswer(() =>
    questions.sql(seen.who, question, { format: 'json', limit: answerMax.rows, bytesMax: answerMax.bytes }),
  )
  const statement = saved.sql!
  const drawing = answer && (await drawAnswer(answer, statement, visit.url.searchParams))
  return {
    title: saved.name,
    isPublic: false,
    refused,
    islands: drawing === undefined || drawing.form === 'table' ? [] : pictureIslands,
    ...(building !== undefined && { reloadSeconds }),
    body: (
      <CollectionPage seen={seen} tab="sql">
        {refused !== undefined && <RefusedStatement error={refused} />}
        {building !== undefined && <BuildingNote {...building} />}
        {answer !== undefined && drawing !== undefined && (
          <Result {...{ seen, version, statement, visit, answer, drawing }} />
        )}
      </CollectionPage>
    ),
  }
}
