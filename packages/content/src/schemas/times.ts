/** Days and times of RFC 3339, as the registry accepts them in records, filters and imported tables. */

/** A time that a table can represent: RFC 3339 without leap seconds, also with a space and in lower case. For JavaScript and RE2. */
export const instantPattern =
  '\\d{4}-\\d{2}-\\d{2}[Tt ](?:[01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d(?:\\.\\d+)?(?:[Zz]|[+-](?:[01]\\d|2[0-3]):[0-5]\\d)'

const instant = new RegExp(`^${instantPattern}$`)
/** A second that UTC inserts at the end of a day, in any zone. */
const leapSecond = /^(.{11}\d\d:\d\d):60(\.\d+)?(.+)$/s

/** True for a day of the calendar, from the year 0 on: there is no 30th of February. */
export function isDay(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().slice(0, 10) === text
}

/** True for a time of RFC 3339 with a zone: what the format `date-time` of a schema admits. */
export function isDateTime(text: string): boolean {
  if (instant.test(text)) return isDay(text.slice(0, 10))
  const [, start, , zone] = leapSecond.exec(text) ?? []
  if (start === undefined || !isDateTime(`${start}:59${zone}`)) return false
  return new Date(`${start.replace(' ', 'T')}:59${zone}`.toUpperCase()).toISOString().includes('T23:59:')
}

/** True for a time that a filter can compare with those of a table. */
export const isInstant = (text: string): boolean => instant.test(text) && isDay(text.slice(0, 10))
