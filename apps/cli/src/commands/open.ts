import { command, noun } from '../command.ts'
import { referenceHere } from '../folder/base/here.ts'
import { optional } from '../parameters.ts'
import { openInBrowser } from '../terminal/browser.ts'

const reference = optional('owner/slug', 'Collection (default: the one of the working folder)')

const part = encodeURIComponent

/** `ulmus open [REF]`: prints the address of a page, and opens a browser if a user is at the terminal. */
const open = command<Record<never, never>, [reference?: string]>({
  brief: 'Open the collection in a browser',
  page: 'Print the address of the page and open it',
  positional: { kind: 'tuple', parameters: [reference] },
  run: async (call, flags, text) => {
    const { host: named, owner, slug, version, type, id } = referenceHere(call.terminal.cwd, text)
    const { host } = await call.connect({ host: named, withoutKey: true })
    const segments = [owner, slug, ...(version === undefined || version === 'latest' ? [] : ['v', version])]
    const isStep = id === '.' || id === '..'
    if (type !== undefined) segments.push('records', type, ...(id === undefined || isStep ? [] : [id]))
    const address = `${host}/${segments.map(part).join('/')}`
    if (flags.json) return call.json({ url: address })
    await call.line(address)
    if (call.terminal.canAsk) await openInBrowser(address, call.terminal.env)
  },
})

export default noun({
  section: 'Reading',
  words: {
    open: { command: open, group: 'Read', place: 100, line: ['open', 'open the page in your browser'] },
  },
})
