import { z } from 'zod'
import type { CredentialQueryOf, CredentialSetQuery } from '../protocol/openid4vp/dcql/credential-query.js'
import { dcqlQuery } from '../protocol/openid4vp/dcql/dcql-query.js'
import type { CredentialFormat, IssuedFormat } from './format.js'
import type { FORMATS, FormatName, Formats, IssuedFormatName, NOT_HELD, VerifiedFormatName } from './registry.js'

// The values are those of whatever formats a service has; the types, which clients see, are those of the formats that this
// service comes with.

type StandardFormat = (typeof FORMATS)[number]

/** The name of one of several formats, in a request. */
export const zFormatName = (formats: readonly CredentialFormat[]) =>
  z.enum(formats.map(({ name }) => name) as FormatName[])

/** The name of one of several formats that are issued. */
export const zIssuedFormatName = (formats: readonly IssuedFormat[]) =>
  z.enum(formats.map(({ name }) => name) as IssuedFormatName[])

/** The name of one of several formats, in an answer. */
export const zShownFormatName = (formats: readonly CredentialFormat[]) =>
  zFormatName(formats) as z.ZodType<unknown> as z.ZodType<FormatName, string>

type StandardVerifiedFormat = StandardFormat | (typeof NOT_HELD)[number]

type QueryOf<Format> = Format extends StandardVerifiedFormat
  ? CredentialQueryOf<Format['name'], z.infer<Format['querying']['meta']>>
  : never

export interface StandardDcqlQuery {
  credentials: QueryOf<StandardVerifiedFormat>[]
  credential_sets?: CredentialSetQuery[] | undefined
}

/** The name of the format of something that was verified, in an answer. */
export const zVerifiedFormatName = ({ verified }: Pick<Formats, 'verified'>) =>
  z.enum(verified.map(({ name }) => name)) as z.ZodType<unknown> as z.ZodType<VerifiedFormatName, string>

/** A DCQL query for any of the formats. */
export const zDcqlQuery = ({ verified }: Pick<Formats, 'verified'>) =>
  dcqlQuery(verified) as z.ZodType<unknown> as z.ZodType<StandardDcqlQuery, StandardDcqlQuery>

type ValidOf<Format> = Format extends StandardFormat
  ? { isValid: true; format: Format['verifying']['answer']['format'] } & {
      [Member in keyof Format['verifying']['answer']['members']]: z.infer<
        Format['verifying']['answer']['members'][Member]
      >
    }
  : never

export interface AnyValid {
  isValid: true
  format: string
  [member: string]: unknown
}

export interface Invalid {
  isValid: false
  error: string
}

/** What is said of one compact credential of any of the formats. */
export function zVerdict({ all }: Formats) {
  const valid = all.map(({ verifying: { answer } }) =>
    z.object({ isValid: z.literal(true), format: z.literal(answer.format), ...answer.members }),
  )
  const verdict: z.ZodType = z.union([...valid, z.object({ isValid: z.literal(false), error: z.string() })])
  return verdict as z.ZodType<ValidOf<StandardFormat> | Invalid, AnyValid | Invalid>
}
