/** A part of a page that may follow. `islands/complete.ts` asks for the page again and puts the part in. */
import type { ComponentChildren } from 'preact'

interface PartProps {
  readonly name: 'answer' | 'cite' | 'facets' | 'present' | 'records'
  readonly children?: ComponentChildren
}

/** Takes no room of its own. */
export const Part = ({ name, children }: PartProps) => <div data-part={name}>{children}</div>
