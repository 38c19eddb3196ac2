/** Saves the drawing of a figure as SVG or PNG: what the page shows, with its words, and its address below. */

const margin = 16
/** Pixels of a PNG for each one of the page. */
const density = 2
/** Styles of shapes and words, which a file has no stylesheet for. */
const styles = [
  ...['fill', 'fill-opacity', 'stroke', 'stroke-width', 'stroke-dasharray', 'stroke-linejoin', 'opacity'],
  ...['vector-effect', 'r', 'font-size', 'font-weight', 'text-anchor', 'overflow'],
]

function element(name: string, attributes: Readonly<Record<string, string | number>>, text = ''): SVGElement {
  const created = document.createElementNS('http://www.w3.org/2000/svg', name)
  for (const [key, value] of Object.entries(attributes)) created.setAttribute(key, String(value))
  created.textContent = text
  return created
}

const pixel = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', {
  willReadFrequently: true,
})!
const plainColours = new Map<string, string>()

/** The colour as all programs read it: browsers compute some that few know, such as `oklab(…)`. */
function plainColour(colour: string): string {
  if (!/^(color|oklab|oklch|lab|lch)\(/.test(colour)) return colour
  const known = plainColours.get(colour)
  if (known !== undefined) return known
  pixel.clearRect(0, 0, 1, 1)
  pixel.fillStyle = colour
  pixel.fillRect(0, 0, 1, 1)
  const [red, green, blue, alpha] = pixel.getImageData(0, 0, 1, 1).data
  const plain = `rgba(${red}, ${green}, ${blue}, ${(alpha! / 255).toFixed(2)})`
  plainColours.set(colour, plain)
  return plain
}

/** A shape that others repeat takes its colours from the group around it, so that they can have their own. */
function styledOf(copy: Element): Element {
  if (copy.id === '') return copy
  const group = element('g', {})
  copy.replaceWith(group)
  group.append(copy)
  return group
}

/** A copy at a place, each part with the styles in which it differs from the part around it. */
function copyOf(drawing: SVGSVGElement, from: DOMRect): Element {
  const copy = drawing.cloneNode(true) as Element
  const copies = [copy, ...copy.querySelectorAll('*')]
  for (const [n, part] of [drawing, ...drawing.querySelectorAll('*')].entries()) {
    const [own, around] = [getComputedStyle(part), getComputedStyle(part.parentElement!)]
    const styled = styledOf(copies[n]!)
    // As attributes: the page's policy blocks styles of its own.
    for (const name of styles) {
      const value = own.getPropertyValue(name)
      if (value !== around.getPropertyValue(name)) styled.setAttribute(name, plainColour(value))
    }
  }
  const { x, y, width, height } = drawing.getBoundingClientRect()
  const place = { x: x - from.x, y: y - from.y, width, height }
  for (const [name, value] of Object.entries(place)) copy.setAttribute(name, String(value))
  return copy
}

/** The words of a text around the drawings, each where the page has it. */
function wordsOf(text: Text, from: DOMRect): SVGElement[] {
  const style = getComputedStyle(text.parentElement!)
  const range = document.createRange()
  return [...text.data.matchAll(/\S+/g)].map(({ 0: word, index }) => {
    range.setStart(text, index)
    range.setEnd(text, index + word.length)
    const { x, y, height } = range.getBoundingClientRect()
    const place = { x: x - from.x, y: y - from.y + height * 0.78 }
    const font = { 'font-size': style.fontSize, 'font-weight': style.fontWeight }
    return element('text', { ...place, ...font, fill: plainColour(style.color) }, word)
  })
}

/** The version that the page shows, with the permanent address of its question. */
const version = document.querySelector<HTMLElement>('.version-picker a')!
const collection = () => document.querySelector('h1')!.textContent.replace(/\s/g, '')

/** @param most characters */
function sourceOf(most: number): string {
  const path = version.dataset['to']!.replace('{version}', version.textContent)
  const source = `${collection()} ${version.textContent}, ${location.origin}${path}`
  return source.length > most ? `${source.slice(0, most - 1)}…` : source
}

function pictureOf(figure: HTMLElement): { text: string; width: number; height: number } {
  const { backgroundColor, color, fontFamily } = getComputedStyle(document.body)
  const from = figure.getBoundingClientRect()
  const drawings = [...figure.querySelectorAll('svg')].filter(
    (one) => one.parentElement!.closest('svg') === null,
  )
  const walker = document.createTreeWalker(figure, NodeFilter.SHOW_TEXT, (node) =>
    node.parentElement!.closest('svg, .save-picture') === null
      ? NodeFilter.FILTER_ACCEPT
      : NodeFilter.FILTER_REJECT,
  )
  const words: SVGElement[] = []
  while (walker.nextNode()) words.push(...wordsOf(walker.currentNode as Text, from))
  const bottom = figure.querySelector('.save-picture')!.getBoundingClientRect().top - from.top
  const [width, height] = [from.width + 2 * margin, bottom + 2 * margin + 20].map(Math.ceil) as [
    number,
    number,
  ]
  const inside = element('g', { transform: `translate(${margin} ${margin})`, color })
  inside.append(...drawings.map((drawing) => copyOf(drawing, from)), ...words)
  inside.append(
    element('text', { y: bottom + 16, 'font-size': 11, fill: plainColour(color) }, sourceOf(width / 7)),
  )
  const root = element('svg', { width, height, viewBox: `0 0 ${width} ${height}`, 'font-family': fontFamily })
  root.append(element('rect', { width, height, fill: plainColour(backgroundColor) }), inside)
  return { text: new XMLSerializer().serializeToString(root), width, height }
}

async function pngOf({ text, width, height }: ReturnType<typeof pictureOf>): Promise<Blob> {
  const image = new Image(width * density, height * density)
  image.src = `data:image/svg+xml,${encodeURIComponent(text)}`
  await image.decode()
  const canvas = Object.assign(document.createElement('canvas'), { width: image.width, height: image.height })
  canvas.getContext('2d')!.drawImage(image, 0, 0, image.width, image.height)
  return await new Promise((resolve) => canvas.toBlob((blob) => resolve(blob!), 'image/png'))
}

function save(blob: Blob, name: string): void {
  const link = Object.assign(document.createElement('a'), { href: URL.createObjectURL(blob), download: name })
  link.click()
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}

for (const figure of document.querySelectorAll<HTMLElement>('figure:has(> .save-picture)'))
  for (const button of figure.querySelectorAll<HTMLButtonElement>('.save-picture button')) {
    button.disabled = false
    button.addEventListener('click', async () => {
      const picture = pictureOf(figure)
      const isPng = button.value === 'png'
      const blob = isPng ? await pngOf(picture) : new Blob([picture.text], { type: 'image/svg+xml' })
      save(blob, `${collection().replace('/', '-')}-${version.textContent}.${button.value}`)
    })
  }
