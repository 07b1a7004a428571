import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { partyName } from '../../../server/protocol/credential-card/party-name.js'
import { serviceUrl } from '../address.js'
import { issuerMetadata } from '../queries/metadata.js'
import { type ListedSigner, signers } from '../queries/trust.js'
import { useSpoken } from '../texts/use-texts.js'
import { nameOf } from './display-name.js'
import { shortened } from './short-id.js'
import { useMay } from './use-may.js'

const NONE: readonly ListedSigner[] = []

/** The host of an https address; undefined for any other text. */
const hostOf = (id: string): string | undefined =>
  /^https?:\/\//.test(id) && URL.canParse(id) ? new URL(id).host : undefined

/** The host of a DID of the method `web`, which is the host of its record's base URL; undefined for any other DID. */
const hostOfDid = (did: string): string | undefined => {
  const [, host] = /^did:web:([^:]+)/.exec(did) ?? []
  return host === undefined ? undefined : decodeURIComponent(host)
}

/** The parts of an issuer or verifier record that give it its name. */
interface NamedRecord extends Pick<ListedSigner, 'did'> {
  readonly display: Parameters<typeof nameOf>[0]
}

/** The name of an issuer or verifier record of this service in a language, as on the share pages. */
export const nameOfRecord = ({ did, display }: NamedRecord, language: string): string => {
  const host = hostOfDid(did)
  return partyName(nameOf(display, language), host === undefined ? serviceUrl : `https://${host}`)
}

/**
 * Returns the name of an issuer in the user's language: from its record here, or from the metadata of this service. Any other issuer has
 * the name that it gave itself, the host of its address, or its shortened id. Without an id, it is the name of this service.
 */
export function useIssuerNames(): (issuer?: string, claimed?: string) => string | undefined {
  const { language } = useSpoken()
  const may = useMay()
  const records = useInfiniteQuery({ ...signers('issuer'), enabled: may.call('signers.issuers') }).data ?? NONE
  const { credential_issuer: own, display } = useQuery(issuerMetadata).data ?? {}
  return (issuer, claimed) => {
    if (issuer === undefined || issuer === own) return own && partyName(nameOf(display, language), own)
    const record = records.find(({ did }) => did === issuer)
    return record === undefined ? (claimed ?? hostOf(issuer) ?? shortened(issuer)) : nameOfRecord(record, language)
  }
}

/** Removes the prefix of a client identifier (OpenID4VP 1.0 §5.9.3) before a DID or an address. */
const withoutPrefix = (clientId: string): string =>
  clientId.replace(
    /^(?:decentralized_identifier:(?=did:)|(?:redirect_uri|openid_federation):(?=https?:)|x509_san_dns:)/,
    '',
  )

/**
 * Returns the name of a verifier in the user's language, from its record here. Any other verifier has the name that it gave itself, its
 * host, or its shortened identifier.
 */
export function useVerifierNames(): (clientId: string, claimed: string | undefined) => string {
  const { language } = useSpoken()
  const may = useMay()
  const records = useInfiniteQuery({ ...signers('verifier'), enabled: may.call('signers.verifiers') }).data ?? NONE
  return (clientId, claimed) => {
    const id = withoutPrefix(clientId)
    const record = records.find(({ did }) => did === id)
    return record === undefined ? (claimed ?? hostOf(id) ?? shortened(id)) : nameOfRecord(record, language)
  }
}
