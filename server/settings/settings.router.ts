import { procedure, router } from '../api/trpc.js'
import type { Config } from '../config/config.js'
import type { Formats } from '../formats/registry.js'
import { SIGNATURE_ALGORITHMS } from '../protocol/jose/algorithms.js'
import { readSettings } from './settings.contract.js'

/** Dependencies of the settings. */
export interface SettingsPorts {
  readonly config: Pick<Config, 'settings'>
  readonly formats: Pick<Formats, 'all'>
}

export const settingsRouter = ({ config, formats }: SettingsPorts) =>
  router({
    read: procedure(readSettings).query(() => ({
      settings: [...config.settings],
      formats: formats.all.map(({ name }) => name),
      algorithms: [...SIGNATURE_ALGORITHMS],
    })),
  })
