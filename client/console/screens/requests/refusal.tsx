import type { CheckedSession, VerificationSession } from '../../queries/shapes.js'
import { useTexts } from '../../texts/use-texts.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { Reason } from '../../ui/reason.js'
import { ToExplain } from '../trust/explain/to-explain.js'
import { useAsks } from './use-asks.js'

interface Props {
  readonly session: VerificationSession
  readonly checked: CheckedSession
}

/** Why a session failed: the failed checks, what the wallet sent, and what to do. */
export function Refusal({ session, checked: { checks, asks } }: Props) {
  const { requests: words, checks: names } = useTexts()
  const { queryName } = useAsks()
  const failed = checks.filter(({ outcome }) => outcome === 'failed')
  const isUntrusted = failed.some(({ check }) => check === 'issuer-trust' || check === 'issuer-key')
  const signer = failed.find((one) => one.signer !== undefined)?.signer
  const sent = new Set(checks.map(({ credentialQueryId }) => credentialQueryId))
  const credentials = asks.filter(({ credentialQueryId }) => sent.has(credentialQueryId)).map(queryName)
  const advice = [...new Set(failed.map(({ check }) => names.advice[check]))]
  return (
    <Panel title={words.refused}>
      {failed.map(({ check, message, credentialQueryId }) => (
        <div key={`${check} ${credentialQueryId} ${message}`}>
          <p className="bad">{names.names[check]}</p>
          <Reason check={check}>{message}</Reason>
        </div>
      ))}
      {failed.length === 0 && session.errorMessage !== undefined && (
        <div className="bad">
          <Reason>{session.errorMessage}</Reason>
        </div>
      )}
      <dl>
        <Fact name={words.sent}>{credentials.length === 0 ? words.sentNothing : credentials.join(', ')}</Fact>
        <Fact name={words.whatToDo}>{advice.length === 0 ? words.askAgain : advice.join(' ')}</Fact>
      </dl>
      {isUntrusted && <ToExplain signer={signer} />}
    </Panel>
  )
}
