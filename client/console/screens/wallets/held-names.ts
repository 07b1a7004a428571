import { useQuery } from '@tanstack/react-query'
import { issuerMetadata } from '../../queries/metadata.js'
import type { HeldCredential } from '../../queries/wallets.js'
import { useSpoken } from '../../texts/use-texts.js'
import { DEFAULT_LOCALE, entryFor, langOf } from '../../ui/display-name.js'
import { useIssuerNames } from '../../ui/party-names.js'
import { shortened } from '../../ui/short-id.js'

/** What the card of a held credential shows. */
type Drawn = Pick<HeldCredential, 'configurationId' | 'display' | 'issuer' | 'issuerName' | 'status' | 'type'>

/**
 * Returns the face of a held credential. Its name and look come from the issuer's description at issuance. A credential without one
 * gets the look of the type in this installation, if this installation issues the type.
 */
export function useHeldFace() {
  const { language } = useSpoken()
  const issuerName = useIssuerNames()
  const known = useQuery(issuerMetadata).data?.credential_configurations_supported ?? {}
  return ({ configurationId, display, issuer, issuerName: claimed, status, type }: Drawn) => {
    const written = type.at(-1) ?? ''
    const { vct, doctype, credential_definition, credential_metadata } = known[configurationId] ?? {}
    const isOurs = [vct, doctype, ...(credential_definition?.type ?? [])].includes(written)
    const entries = display === undefined ? (isOurs ? (credential_metadata?.display ?? []) : []) : [display]
    const look = entryFor(entries, language)
    return {
      title: look?.name ?? shortened(written),
      titleLang:
        look === undefined ? undefined : langOf([{ ...look, locale: look.locale ?? DEFAULT_LOCALE }], language),
      issuer: issuerName(issuer, claimed),
      display: look,
      state: status,
    }
  }
}
