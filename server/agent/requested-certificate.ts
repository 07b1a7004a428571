import { z } from 'zod'

/** RFC 5280 Appendix A.1: `ub-organization-name`. Identifiers of organizations have no limit there. */
const MAX_ORGANIZATION = 64
const MAX_IDENTIFIER = 100
/** RFC 5321 §4.5.3.1.3. */
const MAX_EMAIL = 254
const MAX_WEBSITE = 2_000
/** RFC 5280 Appendix A.1 has no telephone numbers. ITU-T X.520: `ub-telephone-number`. */
const MAX_PHONE = 32
const MAX_POLICIES = 8
const MAX_OID = 100

/**
 * An identifier of an organization (ETSI EN 319 412-1 §5.1.4). It begins with a scheme of three or four letters, or of two
 * letters and a colon. Then come a country, a hyphen and the identifier. XG stands for the whole world.
 */
const ORGANIZATION_IDENTIFIER = /^(?:[A-Z]{3,4}|[A-Z]{2}:)[A-Z]{2}-[^\p{C}\p{Z}]+$/u
/** ITU-T E.123 §7: international notation. */
const PHONE = /^\+[0-9](?:[ -]?[0-9]){3,}$/
/** X.660 §7.6: the second number below the roots 0 and 1 is at most 39. */
const OID = /^(?:[01]\.[1-3]?[0-9]|2\.(?:0|[1-9][0-9]*))(?:\.(?:0|[1-9][0-9]*))*$/

const isWebsite = (text: string): boolean =>
  URL.canParse(text) && ['https:', 'http:'].includes(new URL(text).protocol) && new URL(text).username === ''

/** The parameters of a certificate request. Each is checked, because an authority may copy it into the certificate. */
export const requestedCertificateShape = {
  country: z
    .string()
    .regex(/^[A-Z]{2}$/, { error: 'must be a country code of two capital letters' })
    .optional()
    .meta({ description: 'The country of the organization (`countryName` of the subject).', example: 'DE' }),
  organization: z
    .string()
    .trim()
    .min(1)
    .max(MAX_ORGANIZATION)
    .regex(/^\P{C}*$/u, { error: 'must not have control characters' })
    .optional()
    .meta({ description: 'The legal name of the organization (`organizationName` of the subject).' }),
  organizationIdentifier: z
    .string()
    .max(MAX_IDENTIFIER)
    .regex(ORGANIZATION_IDENTIFIER, { error: 'must be an identifier such as VATDE-123456789' })
    .optional()
    .meta({
      description:
        'The identifier of the organization (`organizationIdentifier` of the subject, ETSI EN 319 412-1 §5.1.4). The registration certificate has ' +
        'the same identifier.',
      example: 'VATDE-123456789',
    }),
  email: z
    // RFC 5280 §4.2.1.6: `rfc822Name` is ASCII. The default pattern of Zod has no other characters.
    .email()
    .max(MAX_EMAIL)
    .optional()
    .meta({ description: 'A contact (`rfc822Name`).' }),
  website: z
    .string()
    .max(MAX_WEBSITE)
    .refine(isWebsite, { error: 'must be an http or https address without user name' })
    .transform((text) => new URL(text).href)
    .optional()
    .meta({ description: 'A website for contact (`uniformResourceIdentifier`).' }),
  phone: z
    .string()
    .max(MAX_PHONE)
    .regex(PHONE, { error: 'must be a telephone number with country code, such as +49 30 1234567' })
    .optional()
    .meta({ description: 'A telephone number for contact (`otherName` with the type `telephoneNumber`).' }),
  policies: z
    .string()
    .max(MAX_POLICIES * (MAX_OID + 1))
    .transform((text) => text.split(','))
    .pipe(
      z
        .array(z.string().max(MAX_OID).regex(OID, { error: 'must be an object identifier such as 0.4.0.194118.1.2' }))
        .max(MAX_POLICIES, { error: `must have at most ${MAX_POLICIES} entries` })
        .refine((policies) => new Set(policies).size === policies.length, { error: 'must not repeat an entry' }),
    )
    .optional()
    .meta({
      description:
        'Object identifiers of policies, separated by commas. `0.4.0.194118.1.2` is the policy for access certificates of legal persons.',
      example: '0.4.0.194118.1.2',
    }),
} as const
