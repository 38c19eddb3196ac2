/** The job that made a version: “atlas/cities @ 714a629, main (protected), gitlab.example”. */
import { siteOf } from '@ulmus/registry'
import type { Workload } from '@ulmus/wire'
import { cutText, withoutUnseen } from '../format.ts'

/** Texts come from tokens of others. Characters. */
const textMax = 200
const commitCharacters = 7

const shortened = (text: string): string => cutText(withoutUnseen(text), textMax)

export function WorkloadLine({ workload: { issuer, kind, claims, subject, run } }: { workload: Workload }) {
  const project = claims['repository'] ?? claims['project_path'] ?? subject
  const { sha, ref, ref_protected: isProtected, environment } = claims
  const name = (
    <>
      <bdi>{shortened(project)}</bdi>
      {sha !== undefined && ` @ ${shortened(sha).slice(0, commitCharacters)}`}
    </>
  )
  return (
    <>
      {run === null ? (
        name
      ) : (
        <a href={run} rel="nofollow noreferrer">
          {name}
        </a>
      )}
      {ref !== undefined && (
        <>
          , <code>{shortened(ref.replace(/^refs\/(?:heads|tags)\//, ''))}</code>
          {isProtected === 'true' && ' (protected)'}
        </>
      )}
      {environment !== undefined && environment !== '' && (
        <>
          , environment <bdi>{shortened(environment)}</bdi>
        </>
      )}
      , {new URL(siteOf({ issuer, kind })).host}
    </>
  )
}
