import { Link } from '@tanstack/react-router'
import type { Explained } from '../../../queries/trust-lists.js'
import { useTrustListTexts } from '../../../texts/trust-lists/use-trust-list-texts.js'
import { Fact } from '../../../ui/fact.js'
import { Sentence } from '../../../ui/sentence.js'
import { Tag } from '../../../ui/tag.js'
import { useMay } from '../../../ui/use-may.js'
import { Certificates, commonName } from '../certificates.js'

const TONES = { trusted: 'good', 'not-trusted': 'bad', unusable: 'warn' } as const

/** Why a chain is trusted, or why not. */
export function Explanation({ explained }: { readonly explained: Explained }) {
  const { explain: words, lists } = useTrustListTexts()
  const { trusted, purpose, issuer, types, chain, places, advice } = explained
  // The configuration may demand more than a chain.
  const isEnough = trusted && advice.length === 0
  return (
    <>
      <p className={isEnough ? 'good' : trusted ? 'attention' : 'bad'}>
        {isEnough ? words.trusted : trusted ? words.byChainAlone : words.notTrusted}
      </p>
      <dl>
        <Fact name={lists.purpose}>{lists.purposes[purpose]}</Fact>
        {issuer !== undefined && (
          <Fact name={words.issuer}>
            <code className="sentence">{issuer}</code>
          </Fact>
        )}
        {types.length > 0 && (
          <Fact name={words.types}>
            <code className="sentence">{types.join(', ')}</code>
          </Fact>
        )}
      </dl>
      {advice.length > 0 && (
        <>
          <h3>{words.advice}</h3>
          <ul>
            {advice.map((sentence) => (
              <li key={sentence}>
                <Sentence>{sentence}</Sentence>
              </li>
            ))}
          </ul>
        </>
      )}
      <h3>{words.chain}</h3>
      <p>
        <End chain={chain} />
      </p>
      {chain.length > 0 && <Certificates certificates={chain} />}
      {places.length > 0 && (
        <>
          <h3>{words.places}</h3>
          <Places places={places} />
        </>
      )}
    </>
  )
}

function End({ chain }: Pick<Explained, 'chain'>) {
  const { explain: words } = useTrustListTexts()
  const last = chain.at(-1)
  if (last === undefined) return <span>{words.noChain}</span>
  const name = commonName(last.subject)
  return last.subject === last.issuer ? (
    <span>{words.endsAtRoot(name)}</span>
  ) : (
    <span>{words.endsBelow(name, commonName(last.issuer))}</span>
  )
}

/** Each set of trust anchors and each list, with its answer. */
function Places({ places }: Pick<Explained, 'places'>) {
  const { explain: words } = useTrustListTexts()
  const mayOpen = useMay().open('/trust/lists/$id')
  return (
    <ul className="plain places" aria-label={words.places}>
      {places.map(({ name, listId, answer, sentence, entity }) => (
        <li key={`${listId ?? ''} ${name}`}>
          <p className="row">
            {listId === undefined || !mayOpen ? (
              <code className="sentence">{name}</code>
            ) : (
              <Link to="/trust/lists/$id" params={{ id: listId }}>
                <span className="sentence">{name}</span>
              </Link>
            )}
            <Tag tone={TONES[answer]}>{words.answers[answer]}</Tag>
          </p>
          <p className="soft">
            <Sentence>{sentence}</Sentence>
          </p>
          {entity !== undefined && (
            <p className="soft">
              {words.entity}: {entity}
            </p>
          )}
        </li>
      ))}
    </ul>
  )
}
