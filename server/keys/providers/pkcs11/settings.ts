import { z } from 'zod'

/** The members of an entry of KEY_PROVIDERS that are special to PKCS#11. */
export const zPkcs11Settings = z
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

export type Pkcs11Settings = z.output<typeof zPkcs11Settings>
