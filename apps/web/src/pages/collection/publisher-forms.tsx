/** Forms that add a trusted publisher, one for each kind of CI system that the operator trusts. */
import { siteOf } from '@ulmus/registry'
import type { Publisher, Publishers } from '@ulmus/wire'
import type { ComponentChildren } from 'preact'
import { Field, NamedForm, Select } from '../../components/form.tsx'
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

interface PublisherFormProps {
  readonly kind: 'repository' | 'account' | 'claims'
  readonly form: Form
  readonly children: (form: Form) => ComponentChildren
}

/** Each form keeps its own values, because their fields share names. */
function PublisherForm({ kind, form: sent, children }: PublisherFormProps) {
  const isSent = sent['do'] === kind
  const form = isSent ? sent : {}
  return (
    <NamedForm name={kind} isSent={isSent}>
      <form method="post" class="form">
        {children(form)}
        <Options form={form} />
        <button type="submit" class="primary" name="do" value={kind}>
          Add
        </button>
      </form>
    </NamedForm>
  )
}

const RepositoryForm = ({ form, sites }: { form: Form; sites: Issuers }) => (
  <section>
    <h2>Add a repository</h2>
    <PublisherForm kind="repository" form={form}>
      {(form) => (
        <>
          <Field
            name="address"
            label="Address of the repository"
            form={form}
            required
            most={1_000}
            help={`At ${hostsOf(sites).join(', ')}. Copy it from the browser.`}
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
        </>
      )}
    </PublisherForm>
  </section>
)

const AccountForm = ({ form, clusters }: { form: Form; clusters: Issuers }) => (
  <section>
    <h2>Add a service account of Kubernetes</h2>
    <PublisherForm kind="account" form={form}>
      {(form) => (
        <>
          <Issuer form={form} issuers={clusters} />
          <Field name="namespace" label="Namespace" form={form} required most={63} />
          <Field name="account" label="Service account" form={form} required most={253} />
        </>
      )}
    </PublisherForm>
  </section>
)

/** Claims that identify a project, as an example. */
const examples: Readonly<Record<Issuers[number]['kind'], string>> = {
  github: 'repository=owner/name',
  gitlab: 'project_path=group/project',
  kubernetes: 'sub=system:serviceaccount:namespace:name',
  other: 'sub=…',
}
const kindNames: Readonly<Record<Issuers[number]['kind'], string>> = {
  github: 'GitHub',
  gitlab: 'GitLab',
  kubernetes: 'Kubernetes',
  other: 'other systems',
}

function ClaimsForm({ form, issuers }: { form: Form; issuers: Issuers }) {
  const kinds = [...new Set(issuers.map(({ kind }) => kind))]
  const chosen = issuers.find(({ issuer }) => issuer === form['issuer']) ?? issuers[0]!
  return (
    <details class="claims" open={form['do'] === 'claims' || kinds.every((kind) => kind === 'other')}>
      <summary>Add by claims</summary>
      <PublisherForm kind="claims" form={form}>
        {(form) => (
          <>
            <Issuer form={form} issuers={issuers} />
            <Field
              name="claims"
              label="Claims"
              form={form}
              required
              lines={4}
              most={10_000}
              placeholder={examples[chosen.kind]}
              help={
                <>
                  One a line, as name=text, such as{' '}
                  {kinds.map((kind, index) => (
                    <span key={kind}>
                      {index > 0 && ', '}
                      <code>{examples[kind]}</code> ({kindNames[kind]})
                    </span>
                  ))}
                  . A token must have all of them.{' '}
                  <a href="/docs/publish-from-ci#trust-a-project">Claims of each system</a>
                </>
              }
            />
          </>
        )}
      </PublisherForm>
    </details>
  )
}

/** Hosts whose projects can be added by address. */
export const hostsOf = (issuers: Issuers): string[] =>
  issuers
    .filter(({ kind }) => kind === 'github' || kind === 'gitlab')
    .map((issuer) => new URL(siteOf(issuer)).host)

const Issuer = ({ form, issuers }: { form: Form; issuers: Issuers }) => (
  <Select
    name="issuer"
    label="Issuer"
    form={form}
    value={issuers[0]!.issuer}
    options={issuers.map(({ issuer }) => [issuer, issuer] as const)}
  />
)

/** Readers that see the job of a version. */
export const shownTo: Readonly<Record<Publisher['shows'], string>> = {
  members: 'Members and collaborators',
  everyone: 'Everyone who may read the version',
  none: 'No reader',
}

const Options = ({ form }: { form: Form }) => (
  <>
    <Select
      name="shows"
      label="Show the job of each version to"
      form={form}
      value="members"
      options={Object.entries(shownTo)}
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
