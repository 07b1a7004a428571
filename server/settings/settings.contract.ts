import { z } from 'zod'
import { route } from '../api/contract.js'
import { SETTING_GROUPS, VARIABLES } from '../config/shown.js'

export const zSetting = z.strictObject({
  variable: z.enum(VARIABLES).meta({ description: 'The environment variable of the setting.' }),
  group: z.enum(SETTING_GROUPS),
  state: z.enum(['set', 'default', 'unset']).meta({
    description:
      '`set`: the operator has set the variable. `default`: the default applies. `unset`: the variable is not set and has no default.',
  }),
  value: z.string().nullable().meta({
    description:
      'The set value, or the default; null if the value is secret or not set. An address is shown without user, password and query.',
  }),
})

export const readSettings = {
  meta: route('GET', '/api/v1/settings', {
    tag: 'Operations',
    summary: 'Read the settings of the service',
    description:
      'All environment variables with their values or defaults at the start of the service. The settings cannot be changed here. ' +
      'The answer contains no secrets.',
    access: 'operator',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.strictObject({
    settings: z.array(zSetting),
    formats: z.array(z.string()).meta({ description: 'Supported credential formats.' }),
    algorithms: z.array(z.string()).meta({ description: 'Signature algorithms that the service can verify.' }),
  }),
}
