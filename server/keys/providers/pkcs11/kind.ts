import { z } from 'zod'
import { providerKind } from '../provider.js'
import { openPkcs11 } from './adapter.js'

const zSettings = z
  .strictObject({
    module: z.string().min(1, { error: 'must name the library of the module' }),
    tokenLabel: z.string().min(1).max(32).optional(),
    tokenSerial: z.string().min(1).max(16).optional(),
    pinFile: z.string().min(1).optional(),
    pinVariable: z.string().min(1).optional(),
    pinCommand: z.array(z.string()).min(1).max(32).optional(),
    sessions: z.int().min(1).max(64).default(8),
  })
  .refine(({ tokenLabel, tokenSerial }) => (tokenLabel === undefined) !== (tokenSerial === undefined), {
    error: 'must have either tokenLabel or tokenSerial',
  })
  .refine(
    ({ pinFile, pinVariable, pinCommand }) =>
      [pinFile, pinVariable, pinCommand].filter((source) => source !== undefined).length === 1,
    { error: 'must have exactly one of pinFile, pinVariable and pinCommand' },
  )

export type Pkcs11Settings = z.output<typeof zSettings>

/** Tokens behind a PKCS#11 library (PKCS#11 v2.40, v3.0): hardware security modules, smart cards, SoftHSM. */
export const pkcs11 = providerKind({
  settings: zSettings,
  open: (settings, { name, environment }) => openPkcs11(settings, name, environment),
})
