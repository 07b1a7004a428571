import { z } from 'zod'
import type { CredentialQueryOf, CredentialSetQuery } from '../protocol/openid4vp/dcql/credential-query.js'
import { dcqlQuery } from '../protocol/openid4vp/dcql/dcql-query.js'
import type { CredentialFormat } from './format.js'
import type { FORMATS, FormatName, Formats } from './registry.js'
import type { FormatAnswer } from './verifying.js'

// At run time, the schemas accept the formats of the running service. The TypeScript types of the schemas, which
// clients see, list the formats that this service includes by default.

type StandardFormat = (typeof FORMATS)[number]

/** The schema for a format's name in a request. It must be the name of one of `formats`. */
export const zFormatName = (formats: readonly Pick<CredentialFormat, 'name'>[]) =>
  z.enum(formats.map(({ name }) => name) as FormatName[])

/** The schema for a format's name in an answer. It is the name of one of `formats`. */
export const zShownFormatName = (formats: readonly CredentialFormat[]) =>
  zFormatName(formats) as z.ZodType<unknown> as z.ZodType<FormatName, string>

type QueryOf<Format> = Format extends StandardFormat
  ? CredentialQueryOf<Format['name'], z.infer<Format['querying']['meta']>>
  : never

export interface StandardDcqlQuery {
  credentials: QueryOf<StandardFormat>[]
  credential_sets?: CredentialSetQuery[] | undefined
}

/** A DCQL query for any of the formats. */
export const zDcqlQuery = ({ all }: Pick<Formats, 'all'>) =>
  dcqlQuery(all) as z.ZodType<unknown> as z.ZodType<StandardDcqlQuery, StandardDcqlQuery>

type Shown<Answer> = Answer extends FormatAnswer
  ? { isValid: true; format: Answer['format'] } & {
      [Member in keyof Answer['members']]: z.infer<Answer['members'][Member]>
    }
  : never

type ValidOf<Format> = Format extends StandardFormat & { readonly verifying: { readonly answer: FormatAnswer } }
  ? Shown<Format['verifying']['answer']>
  : never

/** The proven issuer of a credential. */
export interface Issued {
  issuer: string
}

type ValidByCheck<Format> = Format extends StandardFormat & {
  readonly verifying: { readonly answerByCheck: FormatAnswer }
}
  ? Shown<Format['verifying']['answerByCheck']> & Issued
  : ValidOf<Format> & Issued

export interface AnyValid {
  isValid: true
  format: string
  [member: string]: unknown
}

export interface Invalid {
  isValid: false
  error: string
}

function verdictOf(answers: readonly (FormatAnswer | undefined)[], issued: z.ZodRawShape = {}): z.ZodType {
  const valid = answers.flatMap((answer) =>
    answer === undefined
      ? []
      : [z.object({ isValid: z.literal(true), format: z.literal(answer.format), ...issued, ...answer.members })],
  )
  return z.union([...valid, z.object({ isValid: z.literal(false), error: z.string() })])
}

const issued = {
  issuer: z.string().meta({
    description:
      'The proven issuer. With `x5c`, it is the subject of the certificate. An `iss` that the certificate does not name proves nothing.',
  }),
}

/** Answer of `POST /credentials/verify` about one compact credential. */
export const zVerdict = ({ all }: Formats) =>
  verdictOf(all.map(({ verifying }) => verifying.answer)) as z.ZodType<
    ValidOf<StandardFormat> | Invalid,
    AnyValid | Invalid
  >

/**
 * Answer of the verification that reports each check. This verification accepts more formats than `POST
 * /credentials/verify`, and the answer names the issuer.
 */
export const zVerdictByCheck = ({ all }: Formats) =>
  verdictOf(
    all.map(({ verifying }) => verifying.answerByCheck ?? verifying.answer),
    issued,
  ) as z.ZodType<ValidByCheck<StandardFormat> | Invalid, AnyValid | Invalid>
