import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { pathKey } from '../../../../server/protocol/json-schema/declared-claims.js'
import { problemOf } from '../../problems.js'
import { credentialContent, type History } from '../../queries/credentials.js'
import { typeVersions } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { titlesOf } from '../../ui/claim-titles.js'
import { leavesOf } from '../../ui/claims.js'
import { CredentialCard } from '../../ui/credential-card.js'
import { entryFor } from '../../ui/display-name.js'
import { Panel } from '../../ui/panel.js'

type Props = Pick<History['credential'], 'id' | 'type' | 'version'>

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

function Claims({ id, type, version }: Props) {
  const { language, texts } = useSpoken()
  const { credentials: words } = texts
  const content = useQuery(credentialContent(id))
  const versions = useQuery(typeVersions(type))
  if (content.isError && problemOf(content.error).status === 404) return <p role="status">{words.notReadable}</p>
  return (
    <Asked query={content}>
      {({ vc }) => {
        const known = versions.data?.find((each) => each.version === version)
        const look = entryFor(known?.display ?? [], language)
        const titles = known === undefined ? undefined : titlesOf(known, language)
        const titleOf = (path: readonly string[]) =>
          path.map((name, at) => titles?.get(pathKey(path.slice(0, at + 1))) ?? name).join(' › ')
        const claims = leavesOf(vc.credentialSubject).map(({ path, value }) => ({
          key: path.join('\0'),
          title: titleOf(path),
          value,
        }))
        return claims.length === 0 ? (
          <p>{words.noClaims}</p>
        ) : (
          <CredentialCard
            title={look?.name ?? known?.title ?? type}
            backgroundColor={look?.background_color}
            textColor={look?.text_color}
            claims={claims}
          />
        )
      }}
    </Asked>
  )
}
