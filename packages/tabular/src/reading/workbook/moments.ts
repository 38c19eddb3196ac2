/** Moments of workbooks: numbers with the format of a date in XLSX, ISO 8601 in ODS. Neither knows a time zone. */
import type { Moment } from './sheet-events.ts'

/** Which parts of a moment a number format shows. `elapsed`: hours beyond a day. */
export type MomentFormat = 'moment' | 'time' | 'elapsed' | undefined

/** Formats of dates that files do not write out, by number; those from 27 on are of East Asian languages. */
export function builtInFormat(id: number): MomentFormat {
  if (id >= 18 && id <= 21) return 'time'
  if (id === 45 || id === 47) return 'time'
  if (id === 46) return 'elapsed'
  return (id >= 14 && id <= 22) || (id >= 27 && id <= 36) || (id >= 50 && id <= 58) ? 'moment' : undefined
}

/** @param code such as `dd/mm/yyyy;@` */
export function formatOfCode(code: string): MomentFormat {
  const [first = ''] = code.replace(/"[^"]*"|\\.|_.|\*./g, '').split(';', 1)
  if (/\[(?:h+|m+|s+)\]/i.test(first)) return 'elapsed'
  const plain = first.replace(/\[[^\]]*\]/g, '').replace(/AM\/PM|A\/P/gi, '')
  if (/general/i.test(plain) || !/[ymdhs]/i.test(plain)) return undefined
  return /[yd]/i.test(plain) || !/[hs]/i.test(plain) ? 'moment' : 'time'
}

const dayMilliseconds = 86_400_000
/** The last day, 31 December 9999, in days of the 1900 system. */
const lastDay = 2_958_465
/** Days from the 1900 system to the 1904 system. */
const systemDays = 1462

/**
 * Excel's 1900 system has a 29 February 1900, number 60, which never was: days before it are one later than elsewhere.
 * @returns undefined if the number is no moment
 */
export function momentOf(serial: number, format: MomentFormat, is1904: boolean): Moment | undefined {
  // Excel keeps milliseconds.
  const count = Math.round(serial * dayMilliseconds)
  const isTime = format === 'elapsed' || (format === 'time' && count < dayMilliseconds)
  if (isTime && count >= 0) return { time: timeOf(count) }
  const total = count + (is1904 ? systemDays * dayMilliseconds : 0)
  if (format === undefined || isTime || total < 0) return undefined
  const days = Math.floor(total / dayMilliseconds)
  const time = timeOf(total % dayMilliseconds)
  if (days === 0) return { time }
  if (days > lastDay || days === 60) return undefined
  const day = new Date(Date.UTC(1899, 11, days < 60 ? 31 : 30) + days * dayMilliseconds)
  return { day: day.toISOString().slice(0, 10), time }
}

function timeOf(milliseconds: number): string {
  const pad = (value: number, width = 2) => String(value).padStart(width, '0')
  const seconds = Math.floor(milliseconds / 1000)
  const rest = milliseconds % 1000
  const fraction = rest === 0 ? '' : `.${pad(rest, 3).replace(/0+$/, '')}`
  return `${pad(Math.floor(seconds / 3600))}:${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}${fraction}`
}

/** `2026-01-31`, or `2026-01-31T10:30:00.5`. @returns undefined for another text */
export function isoMoment(text: string): Moment | undefined {
  const found = /^(\d{4}-\d\d-\d\d)(?:T(\d\d:\d\d(?::\d\d(?:\.\d+)?)?)Z?)?$/.exec(text)
  if (found === null) return undefined
  const [, day, time = '00:00:00'] = found
  const whole = time.length === 5 ? `${time}:00` : time
  return { day, time: whole.includes('.') ? whole.replace(/\.?0+$/, '') : whole }
}

/** `PT10H30M00S` is `10:30:00`. @returns undefined for another text */
export function isoTime(text: string): Moment | undefined {
  const found = /^PT(?:(\d{1,9})H)?(?:(\d{1,9})M)?(?:(\d{1,9}(?:[.,]\d+)?)S)?$/.exec(text)
  if (found === null) return undefined
  const [hours, minutes, seconds] = found.slice(1).map((part) => Number((part ?? '0').replace(',', '.')))
  return { time: timeOf(Math.round((hours! * 3600 + minutes! * 60 + seconds!) * 1000)) }
}
