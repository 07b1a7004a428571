import { z } from 'zod'
import { isHexColour } from '../protocol/colour.js'

const zColour = z
  .string()
  .max(7)
  .refine(isHexColour, { error: 'must be a CSS colour in hexadecimal form such as #1d4fc4' })
  .meta({ example: '#1d4fc4' })

const MAX_LINK = 2_000

/** A link that pages show to people. Other schemes could run code in the page. */
const zLink = z
  .string()
  .max(MAX_LINK)
  .refine((text) => /^https:\/\/[^\s\\]+$/.test(text) && URL.canParse(text), { error: 'must be an https: address' })
  .meta({ format: 'uri' })

const zPhone = z
  .string()
  .max(40)
  .regex(/^\+?[\d ()./-]{3,}$/, { error: 'must be a phone number such as +49 30 1234567' })

/** How people reach the organization behind a record. */
const zContact = z
  .strictObject({ email: z.email().max(254).optional(), phone: zPhone.optional(), url: zLink.optional() })
  .refine((contact) => Object.keys(contact).length > 0, { error: 'must not be empty' })

/** The branding of an issuer or verifier, which people see in addition to its names and logos. */
export const zBranding = z
  .strictObject({
    backgroundColor: zColour.optional(),
    textColor: zColour.optional().meta({
      description: 'Pages use black or white if the contrast to `backgroundColor` is below 4.5.',
      example: '#ffffff',
    }),
    contact: zContact.optional(),
    privacyUri: zLink.optional().meta({ format: 'uri', description: 'The privacy notice.' }),
    imprintUri: zLink.optional().meta({ format: 'uri', description: 'The imprint: who is behind the record.' }),
    termsUri: zLink.optional().meta({ format: 'uri', description: 'The terms of service.' }),
  })
  .meta({ description: 'Colours, contact and links. Share pages show them.' })

/** Colours, contact and links of an issuer or verifier. */
export type Branding = z.output<typeof zBranding>
