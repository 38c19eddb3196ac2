/** Sign-in page of the built-in identity provider, in the colours of the pages (`apps/web/src/styles/base.css`). It works without scripts. */

/** Content security policy of the page. */
export const devPagePolicy =
  "default-src 'none'; img-src 'self'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** @param problem our message about an invalid entry, never the visitor's text */
export function devPage(problem?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Sign in for development · Ulmus</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>
  :root { color-scheme: light dark; --line: light-dark(#dce4e0, #2b3630); --accent: light-dark(#14692f, #6fcf8f) }
  body { font: 14.5px/1.55 system-ui, sans-serif; margin: 0; color: light-dark(#18211d, #e1e8e4); background: light-dark(#fff, #111613) }
  header, main { max-width: 28rem; margin: 0 auto; padding: 0 16px }
  header { padding-block: 40px 20px }
  header a { display: inline-flex; align-items: center; gap: 8px; min-height: 28px; font-size: 1.15rem; font-weight: 600; color: inherit; text-decoration: none }
  main { padding: 20px 24px 24px; border: 1px solid var(--line); border-radius: 6px }
  @media (max-width: 500px) { header { padding-block: 16px } main { margin-inline: 16px; padding-inline: 16px } }
  h1 { font-size: 1.45rem; line-height: 1.25; margin: 0 0 12px }
  .note { margin: 0; padding: 8px 12px; border-left: 3px solid light-dark(#8a5300, #e5b567); background: light-dark(#fdf3e1, #33270f) }
  .problem { margin: 12px 0 0; color: light-dark(#b3261e, #f2928b) }
  label { display: block; margin-top: 14px; font-weight: 500 }
  code { font-family: ui-monospace, monospace; font-size: .9em; overflow-wrap: anywhere }
  input, button { font: inherit; min-height: 44px; border-radius: 6px }
  input { width: 100%; box-sizing: border-box; padding: 5px 9px; border: 1px solid light-dark(#8b9a92, #5b6a62); color: inherit; background: light-dark(#fff, #111613) }
  button { margin-top: 20px; padding: 5px 18px; border: 0; font-weight: 500; background: var(--accent); color: light-dark(#fff, #0c1710); cursor: pointer }
  :focus-visible { outline: 2px solid var(--accent); outline-offset: 2px }
</style>
</head>
<body>
<header><a href="/"><img src="/favicon.svg" alt="" width="24" height="24">Ulmus</a></header>
<main>
<h1>Sign in</h1>
<p class="note"><strong>For development only.</strong> This page asks for no password: anyone who can open it can
sign in as any user. Set <code>OIDC_ISSUER</code>, <code>OIDC_CLIENT_ID</code> and <code>OIDC_CLIENT_SECRET</code> to use a real identity provider.</p>
${problem === undefined ? '' : `<p class="problem" role="alert">${problem}</p>\n`}<form method="post">
<label for="login">Login</label>
<input id="login" name="login" required maxlength="100" autofocus autocomplete="username" autocapitalize="none" spellcheck="false">
<label for="name">Name (optional)</label>
<input id="name" name="name" maxlength="200" autocomplete="name">
<label for="email">E-mail (optional)</label>
<input id="email" name="email" type="email" maxlength="200" autocomplete="email">
<button>Sign in</button>
</form>
</main>
</body>
</html>
`
}
