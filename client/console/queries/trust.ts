import { infiniteQueryOptions, queryOptions } from '@tanstack/react-query'
import type { CredenceInputs, CredenceOutputs } from '../../index.js'
import { credence, keyCredence, slowCredence } from '../service.js'
import { cursorOf, itemsOf, paged } from './pages.js'

export type SignerKind = 'issuer' | 'verifier'
/** An issuer or verifier record, with its signing key. */
export type ListedSigner = CredenceOutputs['signers']['issuers']['items'][number]
export type IssuerSigner = CredenceOutputs['signers']['issuer']
export type VerifierSigner = CredenceOutputs['signers']['verifier']
export type Certificate = IssuerSigner['chain'][number]
/** A registration certificate of a verifier or an issuer (ETSI TS 119 475), with its state. */
export type Registration = CredenceOutputs['registrations']['list']['items'][number]
export type Roots = CredenceOutputs['walletTrust']['read']['roots']
export type TrustedIssuer = CredenceOutputs['trustedIssuers']['list']['items'][number]
export type NewTrustedIssuer = CredenceInputs['trustedIssuers']['add']
export type Display = ListedSigner['display']

/** Issuer or verifier records of all users, newest first. */
export const signers = (kind: SignerKind) =>
  infiniteQueryOptions({
    queryKey: ['trust', 'signers', kind],
    queryFn: ({ signal, pageParam }) =>
      kind === 'issuer'
        ? credence.signers.issuers.query(cursorOf(pageParam), { signal })
        : credence.signers.verifiers.query(cursorOf(pageParam), { signal }),
    ...paged,
    select: (pages): ListedSigner[] => itemsOf(pages),
  })

export const issuerSigner = (id: string) =>
  queryOptions({
    queryKey: ['trust', 'issuer', id],
    queryFn: ({ signal }) => credence.signers.issuer.query({ id }, { signal }),
  })

export const verifierSigner = (id: string) =>
  queryOptions({
    queryKey: ['trust', 'verifier', id],
    queryFn: ({ signal }) => credence.signers.verifier.query({ id }, { signal }),
  })

/** The largest page of records, and the most pages in which the default record is searched. */
const LARGEST_PAGE = 200
const MAX_PAGES = 50

/** The id of the default verifier. The console asks in its name. Null if it is not among the newest records. */
export const defaultVerifierId = queryOptions({
  queryKey: ['trust', 'default verifier'],
  queryFn: async ({ signal }) => {
    let cursor = ''
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const { items, nextCursor } = await credence.signers.verifiers.query(
        { limit: LARGEST_PAGE, ...cursorOf(cursor) },
        { signal },
      )
      const found = items.find(({ isDefault }) => isDefault)
      if (found !== undefined) return found.id
      if (nextCursor === undefined) break
      cursor = nextCursor
    }
    return null
  },
})

/** The registration certificates of a record, the newest first. */
export const registrations = (kind: SignerKind, id: string) =>
  queryOptions({
    queryKey: ['trust', 'registrations', kind, id],
    queryFn: async ({ signal }) => {
      const list = kind === 'issuer' ? credence.registrations.listOfIssuer : credence.registrations.list
      return (await list.query({ id }, { signal })).items
    },
  })

/** Adds a registration certificate. The service reads the status list of the certificate meanwhile. */
export const addRegistration = (kind: SignerKind, id: string, certificate: string): Promise<Registration> =>
  (kind === 'issuer' ? slowCredence.registrations.addToIssuer : slowCredence.registrations.add).mutate({
    id,
    certificate,
  })

export const removeRegistration = (kind: SignerKind, id: string, certificateId: string): Promise<void> =>
  (kind === 'issuer' ? credence.registrations.removeFromIssuer : credence.registrations.remove).mutate({
    id,
    certificateId,
  })

type NewIssuer = CredenceInputs['agent']['createIssuer']

export interface NewSigner extends Required<Pick<NewIssuer, 'method' | 'keyProvider' | 'algorithm' | 'signing'>> {
  readonly display: Display
}

/** Creates a record. @param record a verifier signs every request with its own key, whatever `signing` is */
export const makeSigner = (kind: SignerKind, { signing, display, ...record }: NewSigner) =>
  kind === 'issuer'
    ? keyCredence.agent.createIssuer.mutate({ ...record, signing, display: [...display] })
    : keyCredence.agent.createVerifier.mutate({ ...record, display: [...display] })

/** The documents that the key of an issuer signs itself: all documents, or certificates of short-lived signers. */
export type Signing = NewIssuer['signing'] & string

/**
 * A certificate request (PEM) for the key of a record. The key may be in a provider, so the call is sent alone.
 *
 * @param signing the documents that the key of an issuer will sign: the request asks for a fitting certificate
 */
export const requestCertificate = async (kind: SignerKind, id: string, signing: Signing): Promise<string> =>
  (kind === 'issuer'
    ? await keyCredence.agent.requestIssuerCertificate.query({ id, signing })
    : await keyCredence.agent.requestVerifierCertificate.query({ id })
  ).certificateRequest

/** Gives the key of a record a certificate. @param certificate `chain` is PEM; `signing` is for issuers only */
export async function certifySigner(
  kind: SignerKind,
  id: string,
  { chain, signing }: { readonly chain: string; readonly signing: Signing },
): Promise<void> {
  if (kind === 'issuer') await credence.agent.certifyIssuer.mutate({ id, chain, signing })
  else await credence.agent.certifyVerifier.mutate({ id, chain })
}

/** Changes the documents that the key of an issuer without a certificate signs. */
export const changeSigning = async (id: string, signing: Signing): Promise<Signing> =>
  (await credence.agent.changeIssuerSigning.mutate({ id, signing })).signing

/** Changes the display and the branding of a record. @param change `before` and `brandingBefore` are what the user saw */
export const changeFace = (
  kind: SignerKind,
  id: string,
  change: Omit<CredenceInputs['signers']['renameIssuer'], 'id'>,
): Promise<ListedSigner> =>
  kind === 'issuer'
    ? credence.signers.renameIssuer.mutate({ id, ...change })
    : credence.signers.renameVerifier.mutate({ id, ...change })

/** Trusted issuers that were added beside the configuration, newest first. */
export const trustedIssuers = infiniteQueryOptions({
  queryKey: ['trust', 'issuers'],
  queryFn: ({ signal, pageParam }) => credence.trustedIssuers.list.query(cursorOf(pageParam), { signal }),
  ...paged,
  select: (pages): TrustedIssuer[] => itemsOf(pages),
})

export const credentialTrust = queryOptions({
  queryKey: ['trust', 'credentials'],
  queryFn: ({ signal }) => credence.trustedIssuers.configured.query({}, { signal }),
})

export const walletTrust = queryOptions({
  queryKey: ['trust', 'wallets'],
  queryFn: ({ signal }) => credence.walletTrust.read.query({}, { signal }),
})
