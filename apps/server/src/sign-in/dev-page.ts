/** Sign-in page of the built-in identity provider. It works without scripts. */

/** Content security policy of the page. */
export const devPagePolicy =
  "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** @param problem our message about an invalid entry, never the visitor's text */
export function devPage(problem?: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Sign in for development · Ulmus</title>
<style>
  body { font: 16px/1.5 system-ui, sans-serif; max-width: 26rem; margin: 4rem auto; padding: 0 1rem; color: #1c2421; background: #fff }
  .warning { border: 2px solid #b45309; background: #fffbeb; padding: .75rem 1rem; border-radius: .5rem }
  .problem { color: #b91c1c }
  label { display: block; margin-top: 1rem; font-weight: 600 }
  input { font: inherit; width: 100%; box-sizing: border-box; padding: .5rem; border: 1px solid #6b7280; border-radius: .375rem }
  button { font: inherit; margin-top: 1.5rem; padding: .5rem 1.25rem; border: 0; border-radius: .375rem; background: #166534; color: #fff; cursor: pointer }
</style>
</head>
<body>
<h1>Sign in</h1>
<p class="warning" role="note"><strong>For development only.</strong> This page asks for no password: anyone who can open it can
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
</body>
</html>
`
}
