/** Forms that add a trusted publisher, one for each kind of CI system that the operator trusts. */
import { siteOf } from '@ulmus/registry'
import type { Publishers } from '@ulmus/wire'
import { Field, Select } from '../../components/form.tsx'
import type { Form } from '../../page.ts'

type Issuers = Publishers['issuers']

export function PublisherForms({ form, issuers }: { form: Form; issuers: Issuers }) {
  if (issuers.length === 0)
    return (
      <p class="note">
        This registry trusts no CI system yet. Its operator lists them in the setting{' '}
        <code>TRUSTED_ISSUERS_FILE</code>.
      </p>
    )
  const sites = issuers.filter(({ kind }) => kind === 'github' || kind === 'gitlab')
  const clusters = issuers.filter(({ kind }) => kind === 'kubernetes')
  return (
    <>
      {sites.length > 0 && <RepositoryForm form={form} sites={sites} />}
      {clusters.length > 0 && <AccountForm form={form} clusters={clusters} />}
      <ClaimsForm form={form} issuers={issuers} />
    </>
  )
}

/** Each form keeps its own values, because their fields share names. */
const valuesOf = (form: Form, kind: string): Form => (form['do'] === kind ? form : {})

const RepositoryForm = ({ form, sites }: { form: Form; sites: Issuers }) => (
  <section>
    <h2>Add a repository</h2>
    <form method="post" class="form">
      <Field
        name="address"
        label="Address of the repository"
        form={form}
        required
        most={1_000}
        help={`At ${sites.map((site) => new URL(siteOf(site)).host).join(', ')}. Copy it from the browser.`}
      />
      <Field
        name="branch"
        label="Branch"
        form={form}
        value="main"
        most={200}
        help="Empty: any branch; at GitLab, any protected branch or tag."
      />
      <Field
        name="environment"
        label="Environment"
        form={form}
        most={200}
        help="Empty: with or without one."
      />
      <Options form={form} />
      <button type="submit" class="primary" name="do" value="repository">
        Add
      </button>
    </form>
  </section>
)

const AccountForm = ({ form, clusters }: { form: Form; clusters: Issuers }) => (
  <section>
    <h2>Add a service account of Kubernetes</h2>
    <form method="post" class="form">
      <Issuer form={valuesOf(form, 'account')} issuers={clusters} />
      <Field name="namespace" label="Namespace" form={valuesOf(form, 'account')} required most={63} />
      <Field name="account" label="Service account" form={valuesOf(form, 'account')} required most={253} />
      <Options form={valuesOf(form, 'account')} />
      <button type="submit" class="primary" name="do" value="account">
        Add
      </button>
    </form>
  </section>
)

const ClaimsForm = ({ form, issuers }: { form: Form; issuers: Issuers }) => (
  <section>
    <h2>Add by claims</h2>
    <form method="post" class="form">
      <Issuer form={valuesOf(form, 'claims')} issuers={issuers} />
      <Field
        name="claims"
        label="Claims"
        form={valuesOf(form, 'claims')}
        required
        lines={4}
        most={10_000}
        help="One a line, as name=text. A token must have all of them."
      />
      <Options form={valuesOf(form, 'claims')} />
      <button type="submit" class="primary" name="do" value="claims">
        Add
      </button>
    </form>
  </section>
)

const Issuer = ({ form, issuers }: { form: Form; issuers: Issuers }) => (
  <Select
    name="issuer"
    label="Issuer"
    form={form}
    value={issuers[0]!.issuer}
    options={issuers.map(({ issuer }) => [issuer, issuer] as const)}
  />
)

const Options = ({ form }: { form: Form }) => (
  <>
    <Select
      name="shows"
      label="Show the job of each version to"
      form={form}
      value="members"
      options={[
        ['members', 'Members'],
        ['everyone', 'Everyone who may read the version'],
        ['none', 'No reader'],
      ]}
    />
    <Select
      name="lifetimeMinutes"
      label="A job may publish for"
      form={form}
      value="15"
      options={[
        ['5', '5 minutes'],
        ['15', '15 minutes'],
        ['30', '30 minutes'],
        ['60', '60 minutes'],
      ]}
    />
  </>
)
