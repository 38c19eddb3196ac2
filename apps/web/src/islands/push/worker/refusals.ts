/** Everything that only a refusal needs. Loaded with the first one: most files are not refused. */
export { firstLines } from '@ulmus/tabular'
export { checkTable } from '@ulmus/tabular/check'
export * from './file-faults.ts'
export { serverRefusal } from './server-faults.ts'
