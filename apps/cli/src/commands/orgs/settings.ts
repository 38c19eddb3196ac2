import type { Command } from '../../context.ts'
import { facts } from '../../terminal/table.ts'

type SettingsFlags = {
  readonly membersMayChangeVisibility?: 'yes' | 'no'
  readonly defaultVisibility?: 'private' | 'public'
}

/** `ulmus orgs settings ORG`: prints the settings, or changes those given by flags. */
const settings: Command<SettingsFlags, [org: string]> = async (call, flags, org) => {
  const { client } = await call.connect()
  const { membersMayChangeVisibility: may, defaultVisibility } = flags
  if (may !== undefined || defaultVisibility !== undefined) {
    const membersMayChangeVisibility = may === undefined ? undefined : may === 'yes'
    const done = await client.orgs.changeSettings(org, { membersMayChangeVisibility, defaultVisibility })
    if (flags.json) return call.json(done)
    return call.say(`The settings of ${org} are changed.`)
  }
  const found = await client.orgs.settings(org)
  if (flags.json) return call.json(found)
  await facts(call, [
    ['members may change visibility', found.membersMayChangeVisibility ? 'yes' : 'no'],
    ['default visibility', found.defaultVisibility],
  ])
}

export default settings
