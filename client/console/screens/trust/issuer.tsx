import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type IssuerSigner, issuerSigner } from '../../queries/trust.js'
import { useFaceTexts } from '../../texts/faces/use-face-texts.js'
import { useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
import { useSigningKeyTexts } from '../../texts/signing-keys/use-signing-key-texts.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { langOf } from '../../ui/display-name.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { nameOfRecord } from '../../ui/party-names.js'
import { Screen } from '../../ui/screen.js'
import { Tag } from '../../ui/tag.js'
import { May } from '../../ui/use-may.js'
import { CertificatePanel } from './certificate-panel.js'
import { Certify } from './certify.js'
import { FacePanel } from './face.js'
import { FileCertificate } from './file-certificate.js'
import { hostOf } from './host.js'
import { Identity } from './identity.js'
import { Registrations } from './registrations.js'
import { Sections } from './sections.js'

const route = getRouteApi('/trust/issuers/$id')

/** One issuer record: its identity, its certificates, its formats and its types. */
export function Issuer() {
  const { language, texts } = useSpoken()
  // The forms need these texts later. They load with the screen, so that the screen does not disappear meanwhile.
  useFaceTexts.begin(language)
  useRegistrationTexts.begin(language)
  useSigningKeyTexts.begin(language)
  useFaceTexts()
  useRegistrationTexts()
  useSigningKeyTexts()
  const { trust: words } = texts
  const { id } = route.useParams()
  const query = useQuery(issuerSigner(id))
  return (
    <Screen
      title={query.data === undefined ? words.issuer : nameOfRecord(query.data, language)}
      titleLang={langOf(query.data?.display, language)}
      intro={words.issuerIntro}
    >
      <Sections />
      <Asked query={query}>{(issuer) => <Whole key={issuer.id} issuer={issuer} />}</Asked>
    </Screen>
  )
}

function Whole({ issuer }: { readonly issuer: IssuerSigner }) {
  const { trust: words } = useTexts()
  return (
    <div className="panels">
      <div className="stack">
        <Panel title={words.identity}>
          <Identity signer={issuer} />
        </Panel>
        <Panel title={words.signs}>
          <Signing issuer={issuer} />
          <Formats issuer={issuer} />
        </Panel>
        <CertificatePanel signer={issuer} none={words.noIssuerCertificate}>
          {issuer.changeable ? <GetCertificate issuer={issuer} /> : undefined}
        </CertificatePanel>
        <Panel title={words.assigned}>
          <Types issuer={issuer} />
        </Panel>
      </div>
      <div className="stack">
        {issuer.changeable && (
          <May call="signers.renameIssuer">
            <FacePanel kind="issuer" signer={issuer} />
          </May>
        )}
        <Registrations kind="issuer" signer={issuer} />
      </div>
    </div>
  )
}

/** The certificate of the default issuer comes from a file. Other issuers get their certificate here. */
function GetCertificate({ issuer }: { readonly issuer: IssuerSigner }) {
  const { id, isDefault, certificate } = issuer
  const signing = issuer.signing ?? 'every'
  return isDefault ? (
    <FileCertificate kind="issuer" host={hostOf(issuer)} signing={signing} />
  ) : (
    <Certify kind="issuer" id={id} signing={signing} isCertified={certificate !== null} />
  )
}

function Signing({ issuer: { signing, certificate, isDefault } }: { readonly issuer: IssuerSigner }) {
  const words = useSigningKeyTexts()
  if (signing === null) return null
  return (
    <dl>
      <Fact name={words.signing}>
        {words.signings[signing === 'delegated' && certificate === null ? 'uncertified' : signing]}
        {isDefault && <span className="soft"> {words.signingFixed}</span>}
      </Fact>
    </dl>
  )
}

function Formats({ issuer: { formats } }: { readonly issuer: IssuerSigner }) {
  const { trust: words, requests } = useTexts()
  return (
    <ul className="plain">
      {formats.map(({ format, lacks }) => (
        <li key={format} className="row">
          <span>{requests.formats[format as keyof typeof requests.formats] ?? format}</span>
          {lacks === null ? <Tag tone="good">{words.canSign}</Tag> : <Tag>{words.needsCertificate}</Tag>}
        </li>
      ))}
    </ul>
  )
}

function Types({ issuer: { types } }: { readonly issuer: IssuerSigner }) {
  const { trust: words } = useTexts()
  return (
    <>
      <p className="soft">{types.length === 0 ? words.assignedNone : words.assignedIntro}</p>
      {types.length > 0 && (
        <ul className="plain">
          {types.map((name) => (
            <li key={name}>
              <Link to="/types/$name" params={{ name }}>
                {name}
              </Link>
            </li>
          ))}
        </ul>
      )}
      <p>
        <Link to="/types">{words.toTypes}</Link>
      </p>
    </>
  )
}
