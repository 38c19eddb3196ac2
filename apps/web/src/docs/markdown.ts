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

/** Documents link to each other as files (`errors.md#busy`), so that links also work in a repository browser. */
const linkedDocument = /^([a-z-]+)\.md(#.*)?$/

function servedLinks() {
  return (tree: Root) =>
    visit(tree, 'element', (element: Element) => {
      const { href } = element.properties
      if (typeof href !== 'string') return
      const [, name, anchor = ''] = linkedDocument.exec(href) ?? []
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

const processor = unified()
  .use(remarkParse)
  .use(remarkGfm)
  .use(remarkRehype)
  .use(rehypeSlug)
  .use(servedLinks)
  .use(scrollingTables)
  .use(rehypeHighlight)
  .use(rehypeStringify)

/** HTML of a document, for `docs/rendering.ts`. */
export const htmlOf = (markdown: string): string => String(processor.processSync(markdown))
