/** The page around a document. It works without scripts. */
import { type DocPage, docPages } from './pages.ts'

/** Documents load one stylesheet from here and nothing else. */
export const docsPolicy =
  "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** @param page undefined: the list of all documents */
export function docPage(page: DocPage | undefined, html: string): string {
  const links = docPages.map(({ name, title }) => {
    const current = name === page?.name ? ' aria-current="page"' : ''
    return `<li><a href="/docs/${name}"${current}>${title}</a></li>`
  })
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${page === undefined ? 'Documentation' : page.title} · Ulmus</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<header>
<nav aria-label="Documentation"><ul>
<li><a href="/">Ulmus</a></li>
<li><a href="/docs"${page === undefined ? ' aria-current="page"' : ''}>Documentation</a></li>
${links.join('\n')}
<li><a href="/docs/api/">API reference</a></li>
</ul></nav>
</header>
<main>
${html}
</main>
</body>
</html>
`
}

/** The list of all documents. */
export const docIndex = (): string => `<h1>Documentation</h1>
<p>This is a registry for versioned, structured data: collections of JSON records and files, each with versions that never change.
Begin with <a href="/docs/reading">Reading</a> to use what others have published, with <a href="/docs/publishing">Publishing</a> to publish, and with <a href="/docs/operations">Operating</a> to run a registry of your own.
The words are explained in <a href="/docs/concepts">Concepts</a>.</p>
<dl>
${docPages.map(({ name, title, purpose }) => `<dt><a href="/docs/${name}">${title}</a></dt><dd>${purpose}</dd>`).join('\n')}
<dt><a href="/docs/api/">API reference</a></dt><dd>Every call, with its parameters and answers.</dd>
</dl>`
