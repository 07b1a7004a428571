import { readFileSync } from 'node:fs'
import { z } from 'zod'

const MOST_WALLETS = 12
const MOST_NAME = 60
const MOST_LOGO = 20_000

const zAddress = z
  .string()
  .max(500, { error: 'must not be longer than 500 characters' })
  .refine((text) => URL.canParse(text) && new URL(text).protocol === 'https:' && new URL(text).username === '', {
    error: 'must be an https URL',
  })

/** The Content-Security-Policy of the pages shows pictures of their own origin and data URIs only. */
const isLogo = (text: string): boolean =>
  /^\/(?![/\\])[\w./~-]*$/.test(text) || /^data:image\/(?:png|jpeg|webp|svg\+xml);base64,[A-Za-z0-9+/]+=*$/.test(text)

const zWalletLink = z
  .strictObject({
    name: z
      .string()
      .trim()
      .min(1, { error: 'must not be empty' })
      .max(MOST_NAME, { error: `must not be longer than ${MOST_NAME} characters` }),
    ios: zAddress.optional(),
    android: zAddress.optional(),
    web: zAddress.optional(),
    logo: z
      .string()
      .max(MOST_LOGO, { error: `must not be longer than ${MOST_LOGO} characters` })
      .refine(isLogo, {
        error:
          'must be a data URI of a PNG, JPEG, WebP or SVG picture, or a path of this service such as /images/wallet.png',
      })
      .optional(),
  })
  .refine(({ ios, android, web }) => [ios, android, web].some((link) => link !== undefined), {
    error: 'must have one of ios, android, web',
  })

/** A wallet that people without a wallet may install. */
export type WalletLink = Readonly<z.output<typeof zWalletLink>>

const zWalletLinks = z
  .array(zWalletLink)
  .max(MOST_WALLETS, { error: `must not list more than ${MOST_WALLETS} wallets` })

/** Names the entry and the member of a problem: `entry 2 (Wallet): ios must be an https URL`. */
function problemOf(error: z.ZodError, json: unknown): string {
  const [issue] = error.issues
  const [at, ...members] = issue?.path ?? []
  const message = issue?.message ?? 'it is not usable'
  if (typeof at !== 'number') return `it ${message}`
  const entry: unknown = Array.isArray(json) ? json[at] : undefined
  const name =
    typeof entry === 'object' && entry !== null && 'name' in entry ? ` (${String(entry.name).slice(0, MOST_NAME)})` : ''
  return `entry ${at + 1}${name}: ${[members.join('.'), message].filter((part) => part !== '').join(' ')}`
}

/** Reads the wallets that the share pages name: JSON, or the name of a JSON file. The list is empty if nothing is configured. */
export const walletLinks = z
  .string()
  .optional()
  .transform((value, context): readonly WalletLink[] => {
    if (value === undefined) return []
    const refuse = (reason: string) => {
      context.addIssue({
        code: 'custom',
        message: `must be a JSON array of wallets, or name a file with it: ${reason}.`,
      })
      return z.NEVER
    }
    let text = value
    if (!value.trimStart().startsWith('[')) {
      try {
        text = readFileSync(value, 'utf8')
      } catch {
        return refuse('it cannot be read')
      }
    }
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {
      return refuse('it is no JSON')
    }
    const parsed = zWalletLinks.safeParse(json)
    return parsed.success ? parsed.data : refuse(problemOf(parsed.error, json))
  })

/** A mail address without quotes. A colon would be a password of a URL without its scheme. */
const isMail = (text: string): boolean => /^[\p{L}\d.!$*+=^_`{|}~-]+@[\p{L}\d.-]+$/u.test(text)

/** Reads whom people may ask: a mail address, or an https URL. */
export const serviceContact = z
  .string()
  .max(300, { error: 'must not be longer than 300 characters.' })
  .optional()
  .transform((value, context): { readonly href: string; readonly text: string } | undefined => {
    if (value === undefined) return undefined
    if (isMail(value)) return { href: `mailto:${value}`, text: value }
    if (zAddress.safeParse(value).success)
      return { href: value, text: value.replace(/^https:\/\//, '').replace(/\/$/, '') }
    context.addIssue({ code: 'custom', message: 'must be a mail address or an https URL.' })
    return z.NEVER
  })
