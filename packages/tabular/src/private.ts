/** Finds columns that repeat the values of fields. Apart, because most files need it not. */
export { PrivateValues, privateFieldsIn } from './records/private-values.ts'
export { RepeatWatch, repeatedIn, withRenames, withRepeats } from './records/repeated-values.ts'
