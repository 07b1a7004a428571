import type { CredentialOfferObject, IssuerMetadataResult } from '@openid4vc/openid4vci'
import type { WalletFormat } from '../credentials/store.js'
import { WalletError } from '../protocol/wallet-error.js'
import type { Expectation } from './verify-received.js'

/** An honest offer names a handful. */
const MAX_CONFIGURATIONS = 20

/** Formats that this wallet holds; `vc+sd-jwt` is the name that SD-JWT VC had before November 2024. */
const FORMATS: Readonly<Record<string, WalletFormat>> = {
  'dc+sd-jwt': 'dc+sd-jwt',
  'vc+sd-jwt': 'dc+sd-jwt',
  jwt_vc_json: 'jwt_vc_json',
}

const isText = (value: unknown): value is string => typeof value === 'string'

/** What metadata says of one offered configuration (OpenID4VCI 1.0 Appendix A.1.1.2, A.3.2). */
function expectationOf(metadata: IssuerMetadataResult, configurationId: string): Expectation | undefined {
  const configuration: Record<string, unknown> | undefined = metadata.knownCredentialConfigurations[configurationId]
  const format = isText(configuration?.format) ? FORMATS[configuration.format] : undefined
  if (configuration === undefined || format === undefined) return undefined
  const definition = configuration.credential_definition as { type?: unknown } | undefined
  const types = [format === 'dc+sd-jwt' ? configuration.vct : definition?.type].flat().filter(isText)
  if (types.length === 0) return undefined
  return { format, types, configurationId, credentialIssuer: metadata.credentialIssuer.credential_issuer }
}

/**
 * The offered configurations that a hosted wallet can hold.
 *
 * @throws WalletError where there is none.
 */
export function offeredConfigurations(offer: CredentialOfferObject, metadata: IssuerMetadataResult): Expectation[] {
  const ids = [...new Set(offer.credential_configuration_ids)].slice(0, MAX_CONFIGURATIONS)
  const expected = ids.flatMap((id) => expectationOf(metadata, id) ?? [])
  if (expected.length === 0) throw new WalletError('The offer holds no credential of a format that this wallet knows.')
  return expected
}
