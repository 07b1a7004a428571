import { z } from 'zod'
import type { CredentialFormat } from './format.js'
import type { FormatName } from './registry.js'

/** The name of one of several formats; typed by the formats of this service. */
export const zFormatName = (formats: readonly CredentialFormat[]) =>
  z.enum(formats.map(({ name }) => name) as FormatName[])
