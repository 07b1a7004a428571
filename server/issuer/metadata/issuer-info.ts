import type { JsonObject } from '../../protocol/json/json-object.js'

/** An element of `issuer_info` (ETSI TS 119 472-3 §4.2.3). It has the form of `verifier_info` (OpenID4VP 1.0 §5.1). */
type IssuerInfo =
  | { readonly format: 'registration_cert'; readonly data: string }
  | { readonly format: 'registrar_dataset'; readonly data: JsonObject }

/**
 * The member `issuer_info` of the metadata, with the registrar's data set and the registration certificates. The member is absent
 * if there are none.
 */
export function issuerInfoMember(
  dataset: JsonObject | undefined,
  certificates: readonly string[],
): { readonly issuer_info?: readonly IssuerInfo[] } {
  const info: IssuerInfo[] = [
    ...(dataset === undefined ? [] : [{ format: 'registrar_dataset' as const, data: dataset }]),
    ...certificates.map((data) => ({ format: 'registration_cert' as const, data })),
  ]
  return info.length === 0 ? {} : { issuer_info: info }
}
