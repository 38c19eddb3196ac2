/** On `/admin`: the form by which an operator reads a private collection for an hour. */
import { OpenCollection } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Field } from '../../components/form.tsx'
import { checked, orNoSuch, refusedField, typed } from '../../form.ts'
import type { Form, Visit } from '../../page.ts'
import type { Done } from './admin-people.tsx'
import { pathIn } from './hidden-collections.tsx'

export async function open({ registry, who }: Visit, form: Form): Promise<Done> {
  const path = pathIn(typed(form, 'opened'), 'opened')
  const given = typed(form, 'openReason')
  if (given === undefined) throw refusedField('openReason', 'Give the reason: the owner reads it.')
  const { reason } = checked(OpenCollection, { reason: given })
  await orNoSuch('opened', `There is no collection ${path.owner}/${path.slug}.`, () =>
    registry.openings.open(who, path, reason),
  )
  return {
    note: 'You can read it for an hour, and its owner sees that in the audit log:',
    collections: [`${path.owner}/${path.slug}`],
  }
}

export const OpenForm = ({ form, done }: { form: Form; done: ComponentChildren }) => (
  <>
    <h2>Read a private collection</h2>
    <p>
      If you must judge private content, such as after a report, open the collection: for an hour you read all
      of it in browsers where you are signed in, and change nothing. The audit log of its owner names you and
      the reason.
    </p>
    {done}
    <form method="post" action="#done" class="form">
      <Field
        name="opened"
        label="Collection"
        form={form}
        required
        most={2_000}
        help="owner/slug, or its address"
      />
      <Field name="openReason" label="Reason" form={form} required most={1_000} />
      <button type="submit" class="danger" name="do" value="open">
        Open the collection
      </button>
    </form>
  </>
)
