/** Frame of the pages that manage an account, `/:owner/-/…`: a link to the account and, for an organization, tabs. */
import type { ComponentChildren } from 'preact'
import { accountPath } from '../../paths.ts'

const tabs = { members: 'Members', settings: 'Settings', webhooks: 'Webhooks', audit: 'Audit log' } as const

/** @param slug of an organization, or of the caller, who has no members */
export const ManagedPage = ({
  slug,
  isOrg,
  tab,
  children,
}: {
  slug: string
  isOrg: boolean
  tab: keyof typeof tabs
  children: ComponentChildren
}) => (
  <div class="wide content managed">
    <p>
      <a href={accountPath(slug)}>{slug}</a>
    </p>
    {isOrg && (
      <nav class="tabs" aria-label="Organization">
        {Object.entries(tabs).map(([name, label]) => (
          <a
            key={name}
            href={`${accountPath(slug)}/-/${name}`}
            aria-current={tab === name ? 'page' : undefined}
          >
            {label}
          </a>
        ))}
      </nav>
    )}
    {children}
  </div>
)
