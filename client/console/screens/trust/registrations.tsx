import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { type Registration, registrations, type VerifierSigner } from '../../queries/trust.js'
import { credence } from '../../service.js'
import { useRegistrationTexts } from '../../texts/registrations/use-registration-texts.js'
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

/** The registration certificates of a verifier (ETSI TS 119 475), for users who may read them. */
export function Registrations({ verifier }: { readonly verifier: VerifierSigner }) {
  return (
    <May call="registrations.list">
      <Shown verifier={verifier} />
    </May>
  )
}

function Shown({ verifier: { id, certificate, changeable } }: { readonly verifier: VerifierSigner }) {
  const { language } = useSpoken()
  const { certificates: words } = useRegistrationTexts()
  const query = useQuery(registrations(id))
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
                <One key={each.id} registration={each} onLeave={changeable ? () => setLeaving(each) : undefined} />
              ))}
            </ul>
          )
        }
      </Asked>
      {changeable && (
        <May call="registrations.add">
          {certificate === null ? (
            <p className="soft">{words.needsAccess}</p>
          ) : (
            <details>
              <summary>{words.add}</summary>
              <RegistrationForm verifierId={id} />
            </details>
          )}
        </May>
      )}
      {leaving !== undefined && (
        <Confirmation
          title={words.removeTitle(nameOfRegistration(leaving, language).text)}
          text={words.removeText}
          action={words.remove}
          act={() => credence.registrations.remove.mutate({ id, certificateId: leaving.id })}
          changes="trust"
          isGone={isGone}
          onClose={() => setLeaving(undefined)}
        />
      )}
    </Panel>
  )
}

interface OneProps {
  readonly registration: Registration
  /** Begins the removal; undefined if the user may not change the verifier. */
  readonly onLeave: (() => void) | undefined
}

function One({ registration, onLeave }: OneProps) {
  const { language } = useSpoken()
  const { certificates: words } = useRegistrationTexts()
  const { subject, intermediary, intendedUse, credentials, registryUri, privacyPolicy, expiresAt, checkedAt } =
    registration
  const { text: name, lang } = nameOfRegistration(registration, language)
  const authority = registration.supervisoryAuthority
  const contacts = [authority?.uri, authority?.email, authority?.phone].filter((each) => each !== undefined)
  return (
    <li>
      <p className="row">
        <strong lang={lang}>{name}</strong>
        <StateOfRegistration state={registration.state} />
      </p>
      <FaultOfRegistration {...registration} />
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
          <Covered credentials={credentials} none={words.noClaims} />
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
          <May call="registrations.remove">
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
