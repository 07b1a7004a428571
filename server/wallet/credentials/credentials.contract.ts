import { z } from 'zod'
import { route } from '../../api/contract.js'
import { errors } from '../../api/errors.js'
import { pageShape } from '../../api/paging.js'
import { zShownFormatName } from '../../formats/contract.js'
import type { Formats } from '../../formats/registry.js'
import { isLanguageTag } from '../../protocol/openid4vci/display.js'

const zStatus = z
  .enum(['valid', 'expired', 'revoked', 'suspended', 'unknown'])
  .meta({ description: 'The current status. `unknown` if the status list cannot be read.' })

/** How the issuer displays the credential (OpenID4VCI 1.0 §12.2.4), in the reader's language. */
const zWalletDisplay = z
  .object({
    name: z.string(),
    locale: z.string().optional(),
    description: z.string().optional(),
    background_color: z.string().optional(),
    text_color: z.string().optional(),
    logo: z.object({ uri: z.string(), alt_text: z.string().optional() }).optional(),
    background_image: z.object({ uri: z.string() }).optional(),
  })
  .meta({
    description: 'From the metadata of the issuer at the time of issuance. Absent if the issuer described nothing.',
  })

const zLocale = z
  .string()
  .max(35)
  .refine(isLanguageTag, { error: 'must be a language tag such as de or pt-BR' })
  .optional()
  .meta({
    description: 'The language of `display` and of the names of claims. Default: the first language of the issuer.',
  })

/** A credential in a hosted wallet. */
export const zWalletCredential = (formats: Formats) =>
  z.object({
    id: z.uuid(),
    format: zShownFormatName(formats.all),
    type: z
      .array(z.string())
      .meta({ description: '`vct` of an SD-JWT VC, `type` of a JWT VC, docType of a mobile document.' }),
    issuer: z
      .string()
      .meta({ description: 'The signer: a DID or an https URL. For a certificate without either, its subject.' }),
    issuerName: z
      .string()
      .optional()
      .meta({ description: 'The name that the issuer gave itself in its metadata, in the language of `locale`.' }),
    credentialIssuer: z.string().meta({ description: 'Identifier of the credential issuer that issued it.' }),
    configurationId: z.string(),
    display: zWalletDisplay.optional(),
    status: zStatus,
    issuedAt: z.iso.datetime().optional(),
    expiresAt: z.iso.datetime().optional(),
    createdAt: z.iso.datetime(),
  })

export type WalletCredentialJson = z.input<ReturnType<typeof zWalletCredential>>

const zWalletCredentialDetail = (formats: Formats) =>
  zWalletCredential(formats).extend({
    claims: z.record(z.string(), z.unknown()).meta({
      description: 'All claims, including selectively disclosable ones. Grouped by namespace for a mobile document.',
    }),
    claimNames: z
      .array(z.object({ path: z.array(z.union([z.string(), z.int(), z.null()])), name: z.string() }))
      .meta({ description: 'The names of claims for people, in the order in which the issuer lists the claims.' }),
    credential: z.string().meta({
      description:
        'Compact form of the copy that the next presentation uses. For a mobile document, base64url of its IssuerSigned.',
    }),
  })

const byId = z.strictObject({ holderId: z.string(), credentialId: z.string() })
const readById = byId.extend({ locale: zLocale })

export const listWalletCredentials = (formats: Formats) => ({
  meta: route('GET', '/holders/{holderId}/credentials', {
    tag: 'Holders',
    summary: "List a holder's credentials",
    description:
      'Newest first, with their current status. The `Link` header of the reply names the next page, if there is one.',
    access: 'holder',
    errors: [400],
  }),
  input: z.strictObject({ holderId: z.string(), locale: zLocale, ...pageShape }),
  output: z.array(zWalletCredential(formats)),
})

export const readWalletCredential = (formats: Formats) => ({
  meta: route('GET', '/holders/{holderId}/credentials/{credentialId}', {
    tag: 'Holders',
    summary: "Read one of a holder's credentials",
    description: 'With all of its claims, and the copy that the next presentation uses.',
    access: 'holder',
    errors: [400, errors.credentialNotFound()],
  }),
  input: readById,
  output: zWalletCredentialDetail(formats),
})

export const deleteWalletCredential = {
  meta: route('DELETE', '/holders/{holderId}/credentials/{credentialId}', {
    tag: 'Holders',
    summary: 'Delete a credential with all its copies',
    description: 'The wallet deletes the credential. The issuer is not notified and revokes nothing.',
    access: 'holder',
    status: 204,
    errors: [400, errors.credentialNotFound()],
  }),
  input: byId,
  output: z.void(),
}
