/** All commands by name. A command's module is loaded when it is called; `ulmus --help` loads none. */
import { buildApplication, buildRouteMap, text_en } from '@stricli/core'
import { apiCommands } from './api-commands.ts'
import { folderCommands } from './folder-commands.ts'
import { version } from './version.ts'

const root = buildRouteMap({
  routes: { ...folderCommands, ...apiCommands },
  docs: { brief: 'Versioned, structured data: publish it, read it, verify it' },
})

export const application = buildApplication(root, {
  name: 'ulmus',
  versionInfo: { currentVersion: version },
  scanner: { caseStyle: 'allow-kebab-for-camel', allowArgumentEscapeSequence: true },
  documentation: { caseStyle: 'convert-camel-to-kebab', useAliasInUsageLine: true },
  localization: { text: text_en },
})
