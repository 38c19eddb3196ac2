/** Renders our own Markdown documents as HTML. Not for texts of users: it sanitizes nothing. */
import type { Element, Root } from 'hast'
import rehypeHighlight from 'rehype-highlight'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'

/** Documents link to each other as files (`errors.md#busy`; the changelog, which is above them, `docs/errors.md`), so that links also work in a repository browser. */
const linkedDocument = /^(?:docs\/)?([a-z-]+)\.md(#.*)?$/

function servedLinks() {
  return (tree: Root) =>
    visit(tree, 'element', (element: Element) => {
      const { href } = element.properties
      if (typeof href !== 'string') return
      const document = href === '../CHANGELOG.md' ? 'changelog.md' : href
      const [, name, anchor = ''] = linkedDocument.exec(document) ?? []
      if (name !== undefined) element.properties['href'] = `/docs/${name}${anchor}`
      else if (/^[a-z-]+\.[a-z]+$/.test(href)) element.properties['href'] = `/docs/${href}`
    })
}

/** Makes wide tables and code scroll by keyboard, too. */
function scrollingTables() {
  return (tree: Root) =>
    visit(tree, 'element', (element: Element, index, parent) => {
      if (element.tagName === 'pre') element.properties['tabIndex'] = 0
      if (element.tagName !== 'table' || parent === undefined || index === undefined) return
      parent.children[index] = {
        type: 'element',
        tagName: 'div',
        properties: { className: ['table-scroll'], tabIndex: 0 },
        children: [element],
      }
      return index + 1
    })
}

/** In the API reference, only operations can be linked to, and the redirects and errors of each are folded. */
function operationSections() {
  return (tree: Root) => {
    const children: Root['children'] = []
    let folded: Element | undefined
    for (const child of tree.children) {
      const heading = child.type === 'element' && /^h[1-3]$/.test(child.tagName) ? child : undefined
      if (heading !== undefined) folded = undefined
      if (heading?.tagName === 'h3') delete heading.properties['id']
      if (heading?.tagName === 'h3' && isFolded(heading)) {
        folded = elementOf('details', [elementOf('summary', heading.children)])
        children.push(folded)
      } else if (folded === undefined) children.push(child)
      else folded.children.push(child as Element)
    }
    tree.children = children
  }
}

const isFolded = ({ children: [text] }: Element): boolean =>
  text?.type === 'text' && text.value === 'Other answers'

const elementOf = (tagName: string, children: Element['children']): Element => ({
  ...{ type: 'element', tagName, properties: {}, children },
})

const parser = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype)
  .use(rehypeSlug)
  .use(servedLinks)
  .use(scrollingTables)
  .use(rehypeHighlight)
  .freeze()
const processor = parser().use(rehypeStringify)
const referenceProcessor = parser().use(operationSections).use(rehypeStringify)

/** HTML of a document, for `docs/rendering.ts`. */
export const htmlOf = (markdown: string): string => String(processor.processSync(markdown))

/** HTML of a page of the API reference. */
export const referenceHtmlOf = (markdown: string): string => String(referenceProcessor.processSync(markdown))
