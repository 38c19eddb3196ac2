/** SQL functions and triggers beside the tables (.sql files in src/sql), for the generator of migrations and its test. */
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

/** Between the statements of a migration. */
export const separator = '--> statement-breakpoint\n'

/** The texts of the files, by path. */
export const functionFiles = (): string[] =>
  globSync('src/sql/**/*.sql', { cwd: import.meta.dirname })
    .sort()
    .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'))

/**
 * True if a database has the functions and triggers of `text` once all migrations have run: the last one that defines them has this text.
 * An older migration may have it, too, since a change can be taken back.
 */
export function isIn(migrations: string, text: string): boolean {
  const at = migrations.lastIndexOf(text)
  const heads = Array.from(text.matchAll(/^create (?:function|trigger) \w+\W/gm), ([head]) => head)
  return at >= 0 && heads.every((head) => migrations.lastIndexOf(head) < at + text.length)
}

/** Statements that replace what a database has of the functions, which may have had other parameters, and their triggers. */
export function replaced(text: string): string {
  const triggers = text.matchAll(/^create trigger (\w+) [^;]*? on (\w+) /gm)
  const functions = text.matchAll(/^create function (\w+)\(/gm)
  return [
    ...Array.from(triggers, ([, name, table]) => `drop trigger if exists ${name} on ${table};\n`),
    ...Array.from(functions, ([, name]) => `drop function if exists ${name};\n`),
    text,
  ].join(separator)
}
