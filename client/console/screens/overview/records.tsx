import type { CredenceOutputs } from '../../../index.js'
import { useSpoken } from '../../texts/use-texts.js'
import { langOf } from '../../ui/display-name.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { nameOfRecord } from '../../ui/party-names.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { Tag } from '../../ui/tag.js'

interface Props {
  readonly records: CredenceOutputs['agent']['issuers'] | CredenceOutputs['agent']['verifiers']
}

/** Issuer or verifier records, each with its DID. */
export function Records({ records }: Props) {
  const { language, texts } = useSpoken()
  const { overview: words } = texts
  return (
    <ul className="plain records">
      {records.map(({ id, did, display, isDefault, createdAt }) => (
        <li key={id}>
          <strong lang={langOf(display, language)}>{nameOfRecord({ did, display }, language)}</strong>
          {isDefault && <Tag>{words.byDefault}</Tag>}
          <IdOnDemand id={did} what="DID" isNamed />
          <span className="soft">
            {words.created} <RelativeTime at={createdAt} />
          </span>
        </li>
      ))}
    </ul>
  )
}
