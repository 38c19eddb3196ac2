/** Refusals of members of organizations: their roles and invitations. */
import type { Refusal } from './refusal.ts'

export const memberRefusals = {
  not_a_member: {
    kind: 'forbidden',
    sentence: (f) =>
      `You are not a member of ${f.owner ? `\`${f.owner}\`` : 'the owning account'}. If it is an organization, ask one of its admins to add you.`,
    meaning: 'the caller is not a member of the owning account',
    remedy: 'Ask one of its admins for membership.',
    example: { say: { owner: 'ada' } },
  },
  insufficient_role: {
    kind: 'forbidden',
    sentence: (f) =>
      f.isAboutKey
        ? 'This API key acts as a `member` at most, and so must the keys that it creates or revokes. Sign in, or use a key of scope `admin`.'
        : `This requires ${f.needed ? `the role \`${f.needed}\`` : 'a higher role'}. Ask an admin or owner of the organization. If you are one, sign in or use a key of scope \`admin\`: other keys may act as a member at most.`,
    meaning: 'a higher role is needed, or a key that is not capped at the role `member`',
    explanation:
      'The caller is a member, but the call requires a higher role. Roles nest: owner ⊃ admin ⊃ member. A key capped at the role `member` acts as one, also for an owner, and makes and revokes only capped keys.',
    remedy:
      'Ask an admin or owner. If you are one, sign in, or use a key with scope `admin` (`ulmus login --scope admin`).',
    example: { say: { needed: 'admin' } },
  },
  insufficient_grant: {
    kind: 'forbidden',
    sentence: (f) =>
      f.needed
        ? `You are a collaborator with the grant \`${f.held}\`; this requires \`${f.needed}\`. Ask someone who manages the collection.`
        : `Collaborators cannot do this, only admins of ${f.owner ? `\`${f.owner}\`` : 'the owner'}.`,
    meaning: 'the caller is a collaborator, and the call requires a higher grant or a role in the owner',
    explanation:
      'Grants nest: admin ⊃ write ⊃ read. No grant permits deleting, transferring, withdrawing or erasing: these require a role in the owner.',
    remedy: 'Ask someone who manages the collection for a higher grant, or an admin of the owner to do it.',
    example: { say: { held: 'read', needed: 'write' } },
  },
  invitation_not_found: {
    kind: 'missing',
    sentence:
      'There is no such invitation for you: it was answered, revoked, expired after 14 days, or is for another account. Sign in with the invited account, or ask for a new invitation.',
    meaning: 'there is no such invitation for the caller',
    explanation:
      'The caller has no such invitation: it was answered or revoked, it expired after 14 days, or it is for another account. The answers are the same.',
    remedy: 'Sign in with the account that was invited, or ask for another invitation.',
  },
  member_not_found: {
    kind: 'missing',
    sentence: (f) => `\`${f.user}\` is not a member of \`${f.org}\`.`,
    meaning: 'the user is not a member of the organization',
    remedy: 'List its members.',
    example: { say: { user: 'grace', org: 'atlas' } },
  },
  already_member: {
    kind: 'conflict',
    sentence: (f) =>
      f.isOwner
        ? `\`${f.user}\` owns the collection, and needs no grant.`
        : `\`${f.user}\` is already a member of \`${f.org}\`.`,
    meaning: 'the user is already a member, or owns the collection',
    explanation:
      'The invited user is a member already; or a member accepted an invitation to their own role or a lower one. The invitation stays valid for its invitee.',
    remedy: 'Change the role with `PUT …/members/{user}`.',
    example: { say: { user: 'grace', org: 'atlas' } },
  },
  collaborator_not_found: {
    kind: 'missing',
    sentence: (f) => `\`${f.user}\` is not a collaborator of \`${f.collection}\`, and is not invited.`,
    meaning: 'the user is not a collaborator of the collection, and is not invited',
    remedy: 'List its collaborators.',
    example: { say: { user: 'grace', collection: 'atlas/cities' } },
  },
  already_collaborator: {
    kind: 'conflict',
    sentence: (f) => `\`${f.user}\` has this grant on \`${f.collection}\` already, or a higher one.`,
    meaning: 'the user has the grant of the invitation already, or a higher one',
    explanation: 'The invitation stays valid.',
    remedy: 'Decline the invitation.',
    example: { say: { user: 'grace', collection: 'atlas/cities' } },
  },
  too_many_collaborators: {
    kind: 'conflict',
    sentence: (f) =>
      `The collection has ${f.max} collaborators, the maximum. Remove some first, or add users to the organization.`,
    meaning: 'the collection has 100 collaborators',
    remedy: 'Remove some with `DELETE …/collaborators/{user}`, or make them members of an organization.',
    example: { say: { max: 100 } },
  },
  too_many_invitations: {
    kind: 'conflict',
    sentence: (f) =>
      `The ${f.isCollection ? 'collection' : 'organization'} has ${f.max} pending invitations, the maximum. Revoke some first.`,
    meaning: 'the organization, or the collection, has 100 pending invitations',
    remedy: 'Revoke some with `DELETE …/invitations/{id}`, or wait: they expire after 14 days.',
    example: { say: { max: 100 } },
  },
  last_owner: {
    kind: 'conflict',
    sentence: 'An organization needs an owner. Appoint another owner first, or delete the organization.',
    meaning: 'the organization `org` would be left without an owner',
    remedy: 'Make another member owner first, or delete the organization.',
    members: ({ z }) => ({ org: z.string().meta({ description: 'the organization.' }) }),
    example: { details: { org: 'atlas' } },
  },
  not_a_user: {
    kind: 'unacceptable',
    sentence: (f) => `\`${f.user}\` is an organization; only users can be members or collaborators.`,
    meaning: "only users can be members or collaborators; this slug is an organization's",
    remedy: 'Name a user.',
    example: { say: { user: 'atlas' } },
  },
  not_an_org: {
    kind: 'unacceptable',
    sentence: (f) => `\`${f.slug}\` is a user account; only organizations have members.`,
    meaning: "only organizations have members; this slug is a user's",
    remedy: 'Name an organization.',
    example: { say: { slug: 'ada' } },
  },
} satisfies Readonly<Record<string, Refusal>>
