/** Child process that reads a workbook: a hostile file may unpack to much, or take long. */

import type { WorkbookRequest } from '../reading/workbook/requests.ts'
import { Workbook } from '../reading/workbook/workbook.ts'
import { answerParent, chosenPath } from './answer-parent.ts'
import { openSource } from './file-source.ts'

const workbook = openSource(chosenPath).then((source) => new Workbook(source))

answerParent<WorkbookRequest>(async (request) => (await workbook).answer(request))
