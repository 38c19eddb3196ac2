/** Renders untrusted Markdown as safe HTML: an allow-list filters the tree after all other plugins. */
import type { Element, Root } from 'hast'
import rehypeHighlight from 'rehype-highlight'
import rehypeSanitize, { defaultSchema, type Options } from 'rehype-sanitize'
import rehypeSlug from 'rehype-slug'
import rehypeStringify from 'rehype-stringify'
import remarkGfm from 'remark-gfm'
import remarkParse from 'remark-parse'
import remarkRehype from 'remark-rehype'
import { unified } from 'unified'
import { visit } from 'unist-util-visit'
import { ownFilesPath } from '../paths.ts'

/** Allowed markup: GitHub's, with the classes of highlighted code. */
const allowed: Options = {
  ...defaultSchema,
  attributes: {
    ...defaultSchema.attributes,
    a: [...(defaultSchema.attributes?.['a'] ?? []), 'rel'],
    span: [...(defaultSchema.attributes?.['span'] ?? []), ['className', /^hljs-[a-z_]+$/]],
    code: [['className', /^language-[\w-]+$/, 'hljs']],
    div: [['className', 'table-scroll']],
    img: [...(defaultSchema.attributes?.['img'] ?? []), 'loading', 'referrerPolicy'],
  },
  protocols: { ...defaultSchema.protocols, src: ['https'] },
}

const filePattern = /^sha256:[0-9a-f]{64}$/

/** Prefix of heading ids, so that they cannot collide with other ids on the page. */
const headingPrefix = 'readme-'

/**
 * Images are the collection's own files, `![](sha256:…)`, and, if allowed, `https:` images of other sites; others become links. Links
 * within the readme lead to its headings by their prefixed ids. All other links tell search engines not to follow them, including those
 * with `//` and `/\`, which browsers take for other sites.
 */
function ownLinks({ readmeImages }: Omit<Readme, 'markdown'>) {
  return (tree: Root) =>
    visit(tree, 'element', (element: Element) => {
      const { src, href } = element.properties
      if (element.tagName === 'a' && typeof href === 'string') {
        if (href.startsWith('#')) element.properties['href'] = `#${headingPrefix}${href.slice(1)}`
        else if (filePattern.test(href)) element.properties['href'] = ownFilesPath + href
        else element.properties['rel'] = ['nofollow', 'noopener', 'ugc']
      }
      if (element.tagName !== 'img' || typeof src !== 'string') return
      if (filePattern.test(src)) {
        element.properties['src'] = ownFilesPath + src
        return
      }
      if (readmeImages && /^https:\/\//i.test(src)) {
        element.properties = { ...element.properties, loading: 'lazy', referrerPolicy: 'no-referrer' }
        return
      }
      const alt = element.properties['alt']
      element.tagName = 'a'
      element.properties = { href: src, rel: ['nofollow', 'noopener', 'ugc'] }
      element.children = [{ type: 'text', value: typeof alt === 'string' && alt !== '' ? alt : src }]
    })
}

/** Moves headings below those of the page, and makes wide tables scroll. */
function withinPage() {
  const lower: Record<string, string> = { h1: 'h2', h2: 'h3', h3: 'h4', h4: 'h5', h5: 'h6' }
  return (tree: Root) =>
    visit(tree, 'element', (element: Element, index, parent) => {
      element.tagName = lower[element.tagName] ?? element.tagName
      if (element.tagName !== 'table' || parent === undefined || index === undefined) return
      parent.children[index] = {
        type: 'element',
        tagName: 'div',
        properties: { className: ['table-scroll'] },
        children: [element],
      }
      return index + 1
    })
}

export interface Readme {
  readonly markdown: string
  /** True if images of other sites are shown. */
  readonly readmeImages: boolean
}

export const renderReadme = ({ markdown, ...about }: Readme): string =>
  String(
    unified()
      .use(remarkParse)
      .use(remarkGfm)
      .use(remarkRehype)
      .use(rehypeSlug)
      .use(rehypeHighlight)
      .use(withinPage)
      .use(() => ownLinks(about))
      .use(rehypeSanitize, { ...allowed, clobberPrefix: headingPrefix })
      .use(rehypeStringify)
      .processSync(markdown),
  )
