import { useQuery } from '@tanstack/react-query'
import { type IssuerMetadata, issuerMetadata } from '../../queries/metadata.js'
import type { HeldCredential } from '../../queries/wallets.js'
import { useSpoken } from '../../texts/use-texts.js'
import { DEFAULT_LOCALE, entryFor, langOf } from '../../ui/display-name.js'
import { useIssuerNames } from '../../ui/party-names.js'
import { shortened } from '../../ui/short-id.js'
import { useTitlesOfValues } from '../../ui/use-values.js'
import type { TitlesOfValues } from '../../ui/value-text.js'

/** What the card of a held credential shows. */
type Drawn = Pick<HeldCredential, 'configurationId' | 'display' | 'issuer' | 'issuerName' | 'status' | 'type'>

type Configurations = IssuerMetadata['credential_configurations_supported']

/** Whether this installation issues the type of a credential. */
function isOurs({ configurationId, type }: Pick<Drawn, 'configurationId' | 'type'>, known: Configurations): boolean {
  const { vct, doctype, credential_definition } = known[configurationId] ?? {}
  return [vct, doctype, ...(credential_definition?.type ?? [])].includes(type.at(-1) ?? '')
}

/** The titles of the values of a held credential, if this installation issues its type. */
export function useHeldValues(credential: Pick<Drawn, 'configurationId' | 'type'>): TitlesOfValues {
  const known = useQuery(issuerMetadata).data?.credential_configurations_supported ?? {}
  return useTitlesOfValues(isOurs(credential, known) ? credential.configurationId : undefined)
}

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
    const own = isOurs({ configurationId, type }, known) ? known[configurationId]?.credential_metadata?.display : []
    const entries = display === undefined ? (own ?? []) : [display]
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
