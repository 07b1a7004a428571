import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { problemOf } from '../../problems.js'
import { credentialContent, type History } from '../../queries/credentials.js'
import { typeVersions } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { titledClaims } from '../../ui/claim-titles.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor, langOf } from '../../ui/display-name.js'
import { Panel } from '../../ui/panel.js'
import { useIssuerNames } from '../../ui/party-names.js'
import { useReader } from '../../ui/use-values.js'

type Props = Pick<History['credential'], 'id' | 'status' | 'type' | 'version'>

/** The states of a record in the words of a card. */
const CARD_STATES = { active: 'valid', suspended: 'suspended', expired: 'expired', revoked: 'revoked' } as const

/** The sentence in place of claims that were erased. */
export function Erased() {
  const { credentials: words } = useSpoken().texts
  return (
    <Panel title={words.content}>
      <p role="status">{words.erased}</p>
    </Panel>
  )
}

/** The claims of a credential, for users who may read them. They are fetched only after a click. */
export function Content(props: Props) {
  const { credentials: words } = useSpoken().texts
  const [isOpen, setOpen] = useState(false)
  return (
    <Panel title={words.content} intro={words.contentIntro}>
      {isOpen ? (
        <Claims {...props} />
      ) : (
        <button type="button" onClick={() => setOpen(true)}>
          {words.showContent}
        </button>
      )}
    </Panel>
  )
}

function Claims({ id, status, type, version }: Props) {
  const { language, texts } = useSpoken()
  const { credentials: words } = texts
  const reader = useReader()
  const issuerName = useIssuerNames()
  const content = useQuery(credentialContent(id))
  const versions = useQuery(typeVersions(type))
  if (content.isError && problemOf(content.error).status === 404) return <p role="status">{words.notReadable}</p>
  return (
    <Asked query={content}>
      {({ vc }) => {
        const known = versions.data?.find((each) => each.version === version)
        const look = entryFor(known?.display ?? [], language)
        const claims = titledClaims(vc.credentialSubject, known, reader)
        return claims.length === 0 ? (
          <p>{words.noClaims}</p>
        ) : (
          <CredentialCard
            title={look?.name ?? known?.title ?? type}
            titleLang={langOf(known?.display, language)}
            issuer={issuerName(typeof vc.issuer === 'string' ? vc.issuer : vc.issuer?.id)}
            display={look}
            state={CARD_STATES[status]}
            claims={claims}
          />
        )
      }}
    </Asked>
  )
}
