/** Lets Node import `.tsx`: Node strips types by itself, but cannot read JSX. */
import { readFileSync } from 'node:fs'
import { registerHooks } from 'node:module'
import { fileURLToPath } from 'node:url'
import { stop, transformSync } from 'esbuild'

/** From now on, until what it gives is called: then esbuild's process, which takes memory, is ended as well. */
export function readTsx(): () => void {
  const hooks = registerHooks({
    load(url, context, next) {
      if (!url.endsWith('.tsx')) return next(url, context)
      const { code } = transformSync(readFileSync(fileURLToPath(url), 'utf8'), {
        loader: 'tsx',
        jsx: 'automatic',
        jsxImportSource: 'preact',
        target: 'esnext',
        sourcemap: 'inline',
        sourcefile: url,
      })
      return { format: 'module', source: code, shortCircuit: true }
    },
  })
  return () => {
    hooks.deregister()
    void stop()
  }
}
