import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import {
  type IssuerSigner,
  type Registration,
  registrations,
  removeRegistration,
  type SignerKind,
  type VerifierSigner,
} from '../../queries/trust.js'
import { useCertificateTexts } from '../../texts/registrations/use-registration-texts.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { Confirmation } from '../../ui/confirmation.js'
import { Covered } from '../../ui/covered.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { nameOfRegistration } from '../../ui/registered.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { May } from '../../ui/use-may.js'
import { CertificateEnd } from './certificate-end.js'
import { RegistrationForm } from './registration-form.js'
import { FaultOfRegistration, StateOfRegistration } from './registration-state.js'

interface Props {
  readonly kind: SignerKind
  readonly signer: IssuerSigner | VerifierSigner
}

/** The operations of each kind of record. */
const CALLS = {
  issuer: {
    list: 'registrations.listOfIssuer',
    add: 'registrations.addToIssuer',
    remove: 'registrations.removeFromIssuer',
  },
  verifier: { list: 'registrations.list', add: 'registrations.add', remove: 'registrations.remove' },
} as const

/** The registration certificates of an issuer or a verifier (ETSI TS 119 475), for users who may read them. */
export function Registrations(props: Props) {
  return (
    <May call={CALLS[props.kind].list}>
      <Shown {...props} />
    </May>
  )
}

function Shown({ kind, signer: { id, certificate, changeable, isDefault } }: Props) {
  const { language } = useSpoken()
  const words = useCertificateTexts(kind)
  const query = useQuery(registrations(kind, id))
  // The certificate of the default issuer counts for all issuers, and only the service knows whether there is one.
  const lacksAccess = certificate === null && (kind === 'verifier' || isDefault)
  const [leaving, setLeaving] = useState<Registration>()
  const isGone = leaving !== undefined && query.data?.every((each) => each.id !== leaving.id) === true
  return (
    <Panel title={words.title} intro={words.intro}>
      <Asked query={query}>
        {(items) =>
          items.length === 0 ? (
            <p className="soft">{words.none}</p>
          ) : (
            <ul className="plain certificates">
              {items.map((each) => (
                <One
                  key={each.id}
                  kind={kind}
                  registration={each}
                  onLeave={changeable ? () => setLeaving(each) : undefined}
                />
              ))}
            </ul>
          )
        }
      </Asked>
      {changeable && (
        <May call={CALLS[kind].add}>
          {lacksAccess ? (
            <p className="soft">{words.needsAccess}</p>
          ) : (
            <details>
              <summary>{words.add}</summary>
              <RegistrationForm kind={kind} id={id} />
            </details>
          )}
        </May>
      )}
      {leaving !== undefined && (
        <Confirmation
          title={words.removeTitle(nameOfRegistration(leaving, language).text)}
          text={words.removeText}
          action={words.remove}
          act={() => removeRegistration(kind, id, leaving.id)}
          changes="trust"
          isGone={isGone}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Panel>
  )
}

interface OneProps {
  readonly kind: SignerKind
  readonly registration: Registration
  /** Begins the removal; undefined if the user may not change the record. */
  readonly onLeave: (() => void) | undefined
}

function One({ kind, registration, onLeave }: OneProps) {
  const { language } = useSpoken()
  const words = useCertificateTexts(kind)
  const {
    subject,
    intermediary,
    intendedUse,
    credentials,
    providesAttestations,
    registryUri,
    privacyPolicy,
    expiresAt,
    checkedAt,
  } = registration
  const { text: name, lang } = nameOfRegistration(registration, language)
  const authority = registration.supervisoryAuthority
  const contacts = [authority?.uri, authority?.email, authority?.phone].filter((each) => each !== undefined)
  return (
    <li>
      <p className="row">
        <strong lang={lang}>{name}</strong>
        <StateOfRegistration state={registration.state} />
      </p>
      <FaultOfRegistration kind={kind} {...registration} />
      <dl>
        <Fact name={words.party}>{subject.legalName ?? subject.name}</Fact>
        <Fact name={words.identifier}>{subject.identifier}</Fact>
        {intermediary !== null && <Fact name={words.intermediary}>{intermediary.name ?? intermediary.identifier}</Fact>}
        {intendedUse !== null && (
          <Fact name={words.intendedUse}>
            <code>{intendedUse}</code>
          </Fact>
        )}
        <Fact name={words.covers}>
          {kind === 'issuer' ? (
            <Covered credentials={providesAttestations} />
          ) : (
            <Covered credentials={credentials} none={words.noClaims} />
          )}
        </Fact>
        {registryUri !== null && <Fact name={words.registry}>{registryUri}</Fact>}
        {contacts.length > 0 && <Fact name={words.authority}>{contacts.join(', ')}</Fact>}
        {privacyPolicy !== null && <Fact name={words.privacy}>{privacyPolicy}</Fact>}
        <Fact name={words.end}>{expiresAt === null ? words.noEnd : <CertificateEnd until={expiresAt} />}</Fact>
        {checkedAt !== null && (
          <Fact name={words.checkedAt}>
            <RelativeTime at={checkedAt} />
          </Fact>
        )}
      </dl>
      {registration.fromFile ? (
        <p className="soft">{words.fromFile}</p>
      ) : (
        onLeave !== undefined && (
          <May call={CALLS[kind].remove}>
            <p>
              <button type="button" className="danger" onClick={onLeave} aria-label={`${words.remove}: ${name}`}>
                {words.remove}
              </button>
            </p>
          </May>
        )
      )}
    </li>
  )
}
