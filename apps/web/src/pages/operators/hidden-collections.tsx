/** On `/admin`: collections that operators hid, and the forms that hide one and show it again. */
import type { HiddenCollection } from '@ulmus/registry'
import { HideCollection } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { type Column, DataTable } from '../../components/data-table.tsx'
import { Field } from '../../components/form.tsx'
import { Name, Time } from '../../components/small.tsx'
import { checked, orNoSuch, refusedField, typed } from '../../form.ts'
import type { Form, Visit } from '../../page.ts'
import { collectionPath } from '../../paths.ts'
import type { Done } from './admin-people.tsx'

export async function hide({ registry, who }: Visit, form: Form): Promise<Done> {
  const path = pathIn(typed(form, 'hidden'))
  const { reason } = checked(HideCollection, { reason: typed(form, 'reason') })
  await orNoSuch(
    'hidden',
    `There is no public collection ${path.owner}/${path.slug}. Private ones cannot be hidden.`,
    () => registry.moderation.hide(who, path, reason),
  )
  return { note: `${path.owner}/${path.slug} is hidden from all but its members and collaborators.` }
}

export async function showAgain({ registry, who }: Visit, form: Form): Promise<Done> {
  const path = pathIn(form['shown'])
  await registry.moderation.show(who, path)
  return { note: `${path.owner}/${path.slug} is shown again.` }
}

/** @param text `owner/slug`, or the address of a page of the collection. @param field that a refusal names */
export function pathIn(text = '', field = 'hidden'): { owner: string; slug: string } {
  const [, owner, slug] = /^(?:https?:\/\/[^/]+)?\/?([^/\s]+)\/([^/?#\s]+)/.exec(text) ?? []
  if (owner === undefined || slug === undefined)
    throw refusedField(field, 'Name the collection as owner/slug, such as ada/cities.')
  return { owner, slug }
}

interface Props {
  readonly form: Form
  readonly items: readonly HiddenCollection[]
  /** Result of a form of this part. */
  readonly done: ComponentChildren
}

export const HiddenCollections = ({ form, items, done }: Props) => (
  <>
    <h2>Hidden collections</h2>
    <p>
      Only members of its owner and collaborators see a hidden collection. They read the reason and cannot
      make it public. Others read that it is hidden. Forks stay as they are: hide them, too, if they must not
      be seen.
    </p>
    {done}
    {items.length > 0 && <DataTable class="data stacked" items={items} keyOf={nameOf} columns={columns} />}
    <form method="post" action="#done" class="form">
      <Field
        name="hidden"
        label="Collection"
        form={form}
        required
        most={2_000}
        help="owner/slug, or its address"
      />
      <Field name="reason" label="Reason" form={form} required most={1_000} />
      <button type="submit" class="danger" name="do" value="hide">
        Hide the collection
      </button>
    </form>
  </>
)

const nameOf = ({ owner, slug }: HiddenCollection) => `${owner}/${slug}`

const columns: readonly Column<HiddenCollection>[] = [
  {
    header: 'Collection',
    cell: (item) => (
      <a href={collectionPath(item)}>
        <Name of={nameOf(item)} />
      </a>
    ),
  },
  { header: 'Reason', cell: ({ hiddenReason }) => <Name of={hiddenReason} most={200} /> },
  { label: 'Since', cell: ({ hiddenAt }) => <Time at={hiddenAt.toISOString()} /> },
  {
    action: 'Show',
    cell: (item) => (
      <form method="post" action="#done">
        <input type="hidden" name="shown" value={nameOf(item)} />
        <button type="submit" name="do" value="show">
          Show again<span class="sr-only"> {nameOf(item)}</span>
        </button>
      </form>
    ),
  },
]
