/** Number of runs of a property test: `count`, or a tenth of it with `LAWS=fast`, which `npm run test:fast` sets. */
export const runs = (count: number): number =>
  process.env['LAWS'] === 'fast' ? Math.ceil(count / 10) : count
