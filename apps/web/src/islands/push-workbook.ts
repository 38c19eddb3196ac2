/** Web worker that reads one workbook. The first message is the file, each further one a request. It starts only when a workbook is chosen. */
import { sourceOf } from '@ulmus/tabular'
import { Workbook, type WorkbookAnswer, type WorkbookRequest } from '@ulmus/tabular/workbook'

let workbook: Workbook | undefined

self.onmessage = async ({ data }: MessageEvent<File | WorkbookRequest>) => {
  if (data instanceof File) {
    workbook = new Workbook(sourceOf(data))
    return
  }
  const answer = await workbook!.answer(data).then(
    (result): WorkbookAnswer => ({ result }),
    (error: Error): WorkbookAnswer => ({ error: error.message }),
  )
  postMessage(answer)
}
