import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type VerifierSigner, verifierSigner } from '../../queries/trust.js'
import { useFaceTexts } from '../../texts/faces/use-face-texts.js'
import { useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { langOf } from '../../ui/display-name.js'
import { Panel } from '../../ui/panel.js'
import { nameOfRecord } from '../../ui/party-names.js'
import { Screen } from '../../ui/screen.js'
import { ShortId } from '../../ui/short-id.js'
import { Tag } from '../../ui/tag.js'
import { May } from '../../ui/use-may.js'
import { CertificateEnd } from './certificate-end.js'
import { CertificatePanel } from './certificate-panel.js'
import { Certify } from './certify.js'
import { FacePanel } from './face.js'
import { FileCertificate } from './file-certificate.js'
import { hostOf } from './host.js'
import { Identity } from './identity.js'
import { Registrations } from './registrations.js'
import { Sections } from './sections.js'

const route = getRouteApi('/trust/verifiers/$id')

/** One verifier record: its identity, its certificates and its client identifiers. */
export function Verifier() {
  const { language, texts } = useSpoken()
  // The forms need these texts later. They load with the screen, so that the screen does not disappear meanwhile.
  useFaceTexts.begin(language)
  useRegistrationTexts.begin(language)
  useFaceTexts()
  useRegistrationTexts()
  const { trust: words } = texts
  const { id } = route.useParams()
  const query = useQuery(verifierSigner(id))
  return (
    <Screen
      title={query.data === undefined ? words.verifier : nameOfRecord(query.data, language)}
      titleLang={langOf(query.data?.display, language)}
      intro={words.verifierIntro}
    >
      <Sections />
      <Asked query={query}>{(verifier) => <Whole key={verifier.id} verifier={verifier} />}</Asked>
    </Screen>
  )
}

function Whole({ verifier }: { readonly verifier: VerifierSigner }) {
  const { trust: words } = useTexts()
  const { id, isDefault, changeable, certificate } = verifier
  return (
    <div className="panels">
      <div className="stack">
        <Panel title={words.identity}>
          <Identity signer={verifier} />
        </Panel>
        <Panel title={words.clientIds} intro={words.clientIdsIntro}>
          <ClientIds verifier={verifier} />
        </Panel>
        <CertificatePanel signer={verifier} none={words.noVerifierCertificate}>
          {isDefault && changeable ? (
            <FileCertificate kind="verifier" host={hostOf(verifier)} />
          ) : changeable ? (
            <Certify kind="verifier" id={id} signing="every" isCertified={certificate !== null} />
          ) : undefined}
        </CertificatePanel>
      </div>
      <div className="stack">
        {changeable && (
          <May call="signers.renameVerifier">
            <FacePanel kind="verifier" signer={verifier} />
          </May>
        )}
        <Registrations kind="verifier" signer={verifier} />
      </div>
    </div>
  )
}

/**
 * The client identifiers that a verifier can use. For every other client identifier: what the verifier needs to use it.
 */
function ClientIds({ verifier }: { readonly verifier: VerifierSigner }) {
  const { trust: words, overview } = useTexts()
  const { names, certificate, attestedUntil } = verifier
  const lackOf = (prefix: string) =>
    prefix === 'verifier_attestation'
      ? words.needsAttestation
      : certificate === null
        ? words.needsCertificate
        : words.needsHost
  return (
    <ul className="plain records">
      {names.map(({ prefix, clientId, lacks, isDefault }) => (
        <li key={prefix}>
          <strong>{words.prefixes[prefix]}</strong>
          {isDefault && <Tag tone="good">{overview.byDefault}</Tag>}
          {lacks !== null && <Tag>{lackOf(prefix)}</Tag>}
          {prefix === 'verifier_attestation' && attestedUntil !== null && <CertificateEnd until={attestedUntil} />}
          {clientId !== null && <ShortId id={clientId} what={words.prefixes[prefix]} />}
        </li>
      ))}
    </ul>
  )
}
