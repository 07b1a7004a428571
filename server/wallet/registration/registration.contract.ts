import { z } from 'zod'
import { zUntrustedSigner } from '../../verifier/verify/untrusted.contract.js'

const zTexts = z.array(z.object({ lang: z.string(), value: z.string() }))

/** What hosted wallets found about the registration of a verifier or an issuer. All members are public. */
export const zPartyRegistration = z.object({
  state: z.enum(['registered', 'beyond', 'invalid', 'none']).meta({
    description:
      '`registered`: valid registration certificates cover everything. `beyond`: they do not cover everything. `invalid`: a registration ' +
      'certificate fails a check. `none`: there is no registration certificate.',
  }),
  reason: z.string().optional().meta({ description: 'The failed check, if the state is `invalid`.' }),
  signer: zUntrustedSigner.optional().meta({
    description:
      'The certificates of the issuer or the registrar, if the state is `invalid` because they are not trusted.',
  }),
  beyond: z.array(z.string()).meta({
    description:
      'A sentence for each part that no registration certificate covers. Show them to the person who confirms.',
  }),
  certificates: z
    .array(
      z.object({
        identifier: z.string(),
        name: z.string(),
        legalName: z.string().optional(),
        country: z.string().optional(),
        registrar: z.string().optional().meta({ description: 'Who has issued the certificate.' }),
        intermediary: z.string().optional().meta({ description: 'Who acts for the registered party.' }),
        purposes: zTexts,
        services: zTexts,
        entitlements: z.array(z.string()),
        covers: z.array(
          z.object({
            format: z.string(),
            meta: z.record(z.string(), z.unknown()),
            claims: z.array(z.array(z.union([z.string(), z.number(), z.null()]))).optional(),
          }),
        ),
        privacyPolicy: z.string().optional(),
        support: z.string().optional(),
        supervisoryAuthority: z
          .object({ uri: z.string().optional(), email: z.string().optional(), phone: z.string().optional() })
          .optional(),
        expiresAt: z.iso.datetime().optional(),
      }),
    )
    .meta({
      description: 'The valid registration certificates (ETSI TS 119 475). Empty if one of them fails a check.',
    }),
})

export type PartyRegistration = z.infer<typeof zPartyRegistration>
