/** Shares a private collection with a colleague: a grant, what the colleague reads, and what everybody else gets. */
import { type Client, createClient, UlmusError } from '@ulmus/client'
import { readBack } from './read-back.ts'
import { countText, type Report } from './report.ts'
import { signIn } from './sign-in.ts'

const colleague = { login: 'hondius', name: 'Jodocus Hondius', email: 'hondius@example.org' }

export async function shareWithColleague(
  baseUrl: string,
  client: Client,
  ref: string,
  report: Report,
): Promise<void> {
  report.section(`A collaborator of ${ref}`)
  const { fetch } = await signIn(baseUrl, colleague)
  const theirs = createClient({ baseUrl, fetch })
  const { slug } = await theirs.accounts.me()
  await report.step(
    `the grant \`read\` for ${slug}`,
    () => grantTo(client, ref, slug, theirs),
    (said) => said,
  )
  await report.step(
    `read back as ${slug}`,
    (progress) => readBack(theirs, ref, progress),
    ({ semver, records }) => `${semver}, ${countText(records)} records`,
  )
  await report.step(
    'read as anyone',
    () => expectAbsent(createClient({ baseUrl }), ref),
    (code) => code,
  )
}

async function grantTo(client: Client, ref: string, user: string, theirs: Client): Promise<string> {
  const done = await client.collaborators.set(ref, user, 'read')
  if (!('token' in done)) return 'given'
  await theirs.accounts.answerInvitation(done.token, true)
  return 'given by an invitation, as this registry asks for'
}

async function expectAbsent(anyone: Client, ref: string): Promise<string> {
  try {
    await anyone.collections.get(ref)
  } catch (error) {
    if (error instanceof UlmusError && error.code === 'collection_not_found') return error.code
    throw error
  }
  throw new Error(`Everybody can read ${ref}, which is private.`)
}
