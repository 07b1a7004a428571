import { useQuery } from '@tanstack/react-query'
import type { CredenceOutputs } from '../../../index.js'
import { issuerMetadata } from '../../queries/metadata.js'
import { useSpoken, useTexts } from '../../texts/use-texts.js'
import { checkSteps } from '../../ui/check-steps.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor, langOf } from '../../ui/display-name.js'
import { useIssuerNames } from '../../ui/party-names.js'
import { aboutSubject } from '../../ui/subject-claims.js'
import { Timeline } from '../../ui/timeline.js'
import { useReader, useTitlesOfValues } from '../../ui/use-values.js'
import { askables, type Format } from '../requests/askable.js'
import { claimsOf, knownTo } from '../requests/known-type.js'

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

function subjectOf(verdict: Valid): { readonly format: Format; readonly type: string; readonly claims: object } {
  if ('docType' in verdict) return { format: 'mso_mdoc', type: verdict.docType, claims: verdict.nameSpaces }
  const { payload } = verdict
  if ('prettyClaims' in verdict) {
    return { format: 'dc+sd-jwt', type: String(payload.vct ?? ''), claims: aboutSubject(verdict.prettyClaims) }
  }
  const vc = isObject(payload.vc) ? payload.vc : payload
  const types = Array.isArray(vc.type) ? vc.type : []
  const { credentialSubject } = vc
  const claims = isObject(credentialSubject) ? credentialSubject : {}
  return { format: 'jwt_vc_json', type: String(types.at(-1) ?? ''), claims }
}

function Says({ verdict }: { readonly verdict: Valid }) {
  const { language, texts } = useSpoken()
  const reader = useReader()
  const issuerName = useIssuerNames()
  const configurations = useQuery(issuerMetadata).data?.credential_configurations_supported ?? {}
  const { format, type, claims } = subjectOf(verdict)
  const known = knownTo(askables(configurations), { format, type: [type] })
  const named = useTitlesOfValues(known?.id)
  const look = entryFor(known?.display ?? [], language)
  return (
    <>
      <h3>{texts.verify.says}</h3>
      <CredentialCard
        title={look?.name ?? type.split('/').at(-1) ?? type}
        titleLang={langOf(known?.display, language)}
        issuer={issuerName(verdict.issuer)}
        display={look}
        state="valid"
        claims={claimsOf(claims, format, known, reader, named)}
      />
    </>
  )
}
