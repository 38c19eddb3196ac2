/** Checks after a fault: lists are complete, and all data is intact. */
import type { CollectionModel } from './model.ts'
import { checkAccess } from './operations/collaborators.ts'
import { checkLimitedKeys } from './operations/limited-keys.ts'
import { readUpload, readWhole } from './operations/reads.ts'
import { checkFormerAddresses } from './operations/transfers.ts'
import type { Report } from './report.ts'
import type { Requests } from './requests.ts'
import { settle } from './settling.ts'
import { collaborators, org, owner, type Stage } from './stage.ts'
import type { Worker } from './workload.ts'

/** Number of earlier versions per collection that are read completely after every fault, in addition to the latest. */
const olderVersions = 1

/** Call it while no worker runs. @param everything true: reads every version and file, not a sample */
export async function checkAll(workers: readonly Worker[], options: { everything: boolean }): Promise<void> {
  await Promise.all(workers.map((worker) => checkWorker(worker, options)))
  const [first] = workers
  if (first !== undefined) await checkLists(first, workers)
}

async function checkWorker(worker: Worker, { everything }: { everything: boolean }): Promise<void> {
  for (const collection of worker.collections) await settle(worker, collection)
  worker.sortOut()
  await checkLimitedKeys(worker)
  for (const collection of worker.collections) await checkContent(worker, collection, everything)
  for (const collection of worker.deleted) {
    const { path } = collection
    const { status } = await worker.ask('GET', path)
    if (status !== 404) worker.report.violation(`${path}, which is deleted, is answered ${status}`)
    await checkFormerAddresses(worker, collection)
  }
}

async function checkContent(worker: Worker, collection: CollectionModel, everything: boolean): Promise<void> {
  const older = collection.versions.filter((version) => version !== collection.head)
  const some =
    older.length === 0 ? [] : Array.from({ length: olderVersions }, () => worker.random.pick(older))
  const versions = [
    ...(everything ? older : some),
    ...(collection.head === undefined ? [] : [collection.head]),
  ]
  for (const version of versions) {
    const fate = await readWhole(worker, collection, version)
    if (fate === 'open' || fate === 'refused')
      worker.report.violation(`${collection.path} ${version.semver} cannot be read after the fault`)
  }
  const files = new Map([
    ...collection.uploads,
    ...collection.standing.flatMap(({ content }) => [...content.files]),
  ])
  for (const [hash, text] of [...files].slice(0, everything ? undefined : 1))
    await readUpload(worker, collection, hash, text)
  for (const user of collaborators) await checkAccess(worker, collection, user)
}

/** Checks that the lists of both owners are complete and contain nothing else. */
async function checkLists(asking: Worker, workers: readonly Worker[]): Promise<void> {
  for (const account of [owner, org]) {
    const expected = workers.flatMap(({ collections }) => collections.filter((one) => one.owner === account))
    const found: string[] = []
    for (let more = true; more; ) {
      const path = `/api/accounts/${account}/collections?limit=100&offset=${found.length}`
      const answer = await asking.ask('GET', path)
      if (asking.requests.fateOf(`listing ${account}`, answer, [200]) !== 'done')
        return asking.report.violation(`the collections of ${account} cannot be listed`)
      const page = JSON.parse(answer.text) as { slug: string }[]
      found.push(...page.map(({ slug }) => slug))
      more = page.length === 100
    }
    const slugs = new Set(expected.map(({ slug }) => slug))
    const strange = found.filter((slug) => !slugs.has(slug))
    const missing = [...slugs].filter((slug) => !found.includes(slug))
    if (strange.length > 0)
      asking.report.violation(`${account} lists ${strange.join(', ')}, which should not be there`)
    if (missing.length > 0) asking.report.violation(`${account} does not list ${missing.join(', ')}`)
  }
}

/** Waits until all requests are answered; reports a violation after the timeout. */
export async function untilAnswered(requests: Requests, report: Report, milliseconds: number): Promise<void> {
  const from = performance.now()
  while (requests.underWay > 0) {
    if (performance.now() - from > milliseconds) {
      report.violation(
        `${requests.underWay} requests have no answer ${milliseconds / 1000} s after the fault`,
      )
      return
    }
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

export async function checkStores(stage: Stage, report: Report): Promise<void> {
  const { isClean, said } = await stage.fsck()
  if (!isClean) report.violation(`fsck: ${said}`)
}
