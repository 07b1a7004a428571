import { z } from 'zod'
import { route } from '../api/contract.js'
import { SETTING_GROUPS, VARIABLES } from '../config/shown.js'

export const zSetting = z.strictObject({
  variable: z.enum(VARIABLES).meta({ description: 'The environment variable that sets it.' }),
  group: z.enum(SETTING_GROUPS),
  state: z.enum(['set', 'default', 'unset']).meta({
    description:
      '`set`: the operator has set it. `default`: the default holds. `unset`: there is none, and nothing is set.',
  }),
  value: z.string().nullable().meta({
    description:
      'As it was set, or the default; null where it is secret or not set. An address is without user, password and query.',
  }),
})

export const readSettings = {
  meta: route('GET', '/api/v1/settings', {
    tag: 'Operations',
    summary: 'What the service runs with',
    description:
      'Every environment variable with its value or default, as it was when the service started. Nothing is changed here. No secret is in it.',
    access: 'operator',
  }),
  input: z.strictObject({}).prefault({}),
  output: z.strictObject({
    settings: z.array(zSetting),
    formats: z.array(z.string()).meta({ description: 'Formats of credentials that it knows.' }),
    algorithms: z.array(z.string()).meta({ description: 'Signatures that it checks.' }),
  }),
}
