/** Disk space on `/admin/state`, and a note on the pages of operators when little is free. */
import type { DiskUsage } from '@ulmus/registry'
import { DataTable } from '../../components/data-table.tsx'
import { sizeText } from '../../format.ts'

type Disks = DiskUsage['disks']

export const ScarceDisks = ({ disks }: { disks: Disks }) => (
  <>
    {disks
      .filter(({ isScarce }) => isScarce)
      .map(({ folder, bytes, freeBytes }) => (
        <p key={folder} class="note bad">
          Less than 10 % of the disk of <code>{folder}</code> is free: {sizeText(freeBytes)} of{' '}
          {sizeText(bytes)}. On a full disk, nothing can be published.{' '}
          <a href="/docs/maintenance#a-full-disk">A full disk</a> says how to make room.
        </p>
      ))}
  </>
)

export const DiskSpace = ({ usage }: { usage: DiskUsage }) => (
  <>
    <h2 id="disk">Disk</h2>
    {usage.disks.map(({ folder, bytes, freeBytes }) => (
      <div key={folder}>
        <p>
          {sizeText(freeBytes)} of {sizeText(bytes)} are free on the disk of <code>{folder}</code>.
        </p>
        <meter
          aria-label={`Used space on the disk of ${folder}`}
          min={0}
          max={bytes}
          value={bytes - freeBytes}
          high={0.9 * bytes}
        />
      </div>
    ))}
    <ScarceDisks disks={usage.disks} />
    <DataTable
      class="data"
      label="Stored data"
      items={usesOf(usage)}
      keyOf={({ name }) => name}
      columns={[
        { header: 'Data', cell: ({ name }) => name },
        { header: 'Bytes', isNumber: true, cell: ({ bytes }) => sizeText(bytes) },
        { header: 'Where', cell: ({ where }) => where },
      ]}
    />
  </>
)

interface Use {
  readonly name: string
  readonly bytes: number
  readonly where: string
}

function usesOf(usage: DiskUsage): Use[] {
  const objects = usage.areObjectsHere ? 'this disk' : 'the bucket'
  const { tables } = usage
  return [
    {
      name: 'Database',
      bytes: usage.databaseBytes,
      where: usage.isDatabaseHere ? 'this disk, without its log' : 'the PostgreSQL server',
    },
    { name: 'Records', bytes: usage.packs, where: objects },
    { name: 'Files', bytes: usage.files, where: objects },
    { name: 'Set aside, to be removed', bytes: usage.setAside, where: objects },
    { name: 'Data of open pushes', bytes: usage.pushes, where: objects },
    ...(tables === undefined
      ? []
      : [
          {
            name: 'Tables of records',
            bytes: tables.bytes,
            where: `this disk, at most ${sizeText(tables.bytesMax)}`,
          },
          { name: 'Files of running questions', bytes: tables.workingBytes, where: 'this disk' },
        ]),
  ]
}
