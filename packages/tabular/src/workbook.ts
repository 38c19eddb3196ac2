/** The reader of workbooks, for a process or worker of its own. */
export type { WorkbookAnswer, WorkbookRequest } from './reading/workbook/requests.ts'
export { Workbook } from './reading/workbook/workbook.ts'
