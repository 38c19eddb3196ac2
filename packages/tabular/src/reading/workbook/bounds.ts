/** Bounds of workbooks: a small file may claim millions of columns, or unpack to terabytes. */

/** Maximum of unpacked bytes of a sheet. */
export const sheetBytesMax = 1024 ** 3
/** Maximum of unpacked bytes of the other parts, such as the texts of all cells. They are kept in memory. */
export const partBytesMax = 256 * 1024 ** 2
/** Maximum of cells of a sheet with a value. */
export const cellsMax = 50_000_000
/** Maximum of merged cells of a sheet. */
export const mergedMax = 100_000
/** Maximum of the rows of a sheet, as of Excel and LibreOffice. */
export const rowsMax = 1024 ** 2
