/** A clock that stands 20 s into this minute, for tests of what is counted by minutes: none of them meets the end of one. */
export function standingClock(): () => Date {
  const then = Math.floor(Date.now() / 60_000) * 60_000 + 20_000
  return () => new Date(then)
}
