import type { CredenceOutputs } from '../../../index.js'
import { useTexts } from '../../texts/use-texts.js'
import { checkSteps } from '../../ui/check-steps.js'
import { leavesOf } from '../../ui/claims.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { shortened } from '../../ui/short-id.js'
import { Timeline } from '../../ui/timeline.js'

type Answer = CredenceOutputs['verify']['checks']
type Valid = Extract<Answer['verdict'], { isValid: true }>

/** The checks of a credential, and its claims if all checks passed. */
export function Verdict({ answer: { verdict, checks } }: { readonly answer: Answer }) {
  const texts = useTexts()
  const { verify: words } = texts
  return (
    <>
      <p className={verdict.isValid ? 'good' : 'bad'}>{verdict.isValid ? words.valid : words.invalid}</p>
      <Timeline label={words.result} steps={checkSteps(checks, texts)} />
      {verdict.isValid && <Says verdict={verdict} />}
    </>
  )
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Claims about the credential itself (RFC 7519, SD-JWT VC), not about its subject. */
const ABOUT_ITSELF = new Set([
  'iss',
  'iat',
  'nbf',
  'exp',
  'jti',
  'sub',
  'cnf',
  'status',
  'vct',
  'vct#integrity',
  '_sd_alg',
])

function subjectOf(verdict: Valid): { readonly type: string; readonly claims: object } {
  if ('docType' in verdict) return { type: verdict.docType, claims: verdict.nameSpaces }
  const { payload } = verdict
  if ('prettyClaims' in verdict) {
    const claims = Object.entries(verdict.prettyClaims).filter(([name]) => !ABOUT_ITSELF.has(name))
    return { type: String(payload.vct ?? ''), claims: Object.fromEntries(claims) }
  }
  const vc = isObject(payload.vc) ? payload.vc : payload
  const types = Array.isArray(vc.type) ? vc.type : []
  const { credentialSubject } = vc
  const claims = isObject(credentialSubject) ? credentialSubject : {}
  return { type: String(types.at(-1) ?? ''), claims }
}

function Says({ verdict }: { readonly verdict: Valid }) {
  const { verify: words } = useTexts()
  const { type, claims } = subjectOf(verdict)
  return (
    <>
      <h3>{words.says}</h3>
      <CredentialCard
        title={type.split('/').at(-1) ?? type}
        issuer={shortened(verdict.issuer)}
        claims={leavesOf(claims).map(({ path, value }) => ({ key: path.join('\0'), title: path.join('.'), value }))}
      />
    </>
  )
}
