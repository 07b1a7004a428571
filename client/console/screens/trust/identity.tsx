import { Link } from '@tanstack/react-router'
import type { IssuerSigner, VerifierSigner } from '../../queries/trust.js'
import { useTexts } from '../../texts/use-texts.js'
import { Fact } from '../../ui/fact.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { ShortId } from '../../ui/short-id.js'
import { May } from '../../ui/use-may.js'

interface Props {
  readonly signer: IssuerSigner | VerifierSigner
}

/** The identity of a record: its DID, its signing key and its former keys. */
export function Identity({ signer }: Props) {
  const { trust: words } = useTexts()
  const { id, did, didDocument, didDocumentUrl, algorithm, keyId, keys, createdAt } = signer
  const former = keys.filter(({ retiredAt }) => retiredAt !== null)
  return (
    <>
      <dl>
        <Fact name="DID">
          <ShortId id={did} what="DID" />
        </Fact>
        <Fact name={words.signsWith}>{words.algorithms[algorithm as keyof typeof words.algorithms] ?? algorithm}</Fact>
        <Fact name={words.keyId}>
          <ShortId id={keyId} what={words.keyId} />
        </Fact>
        <Fact name={words.recordId}>
          <ShortId id={id} what={words.recordId} />
        </Fact>
        <Fact name={words.made}>
          <RelativeTime at={createdAt} />
        </Fact>
        {didDocumentUrl !== null && (
          <Fact name={words.published}>
            <a href={didDocumentUrl} target="_blank" rel="noreferrer">
              {words.didDocument}
            </a>
          </Fact>
        )}
      </dl>
      <May open="/trust/keys">
        <p>
          <Link to="/trust/keys">{words.keys}</Link>
        </p>
      </May>
      {former.length > 0 && (
        <details>
          <summary>{words.formerKeys(former.length)}</summary>
          <ul className="plain">
            {former.map(({ keyId: formerId, algorithm: formerAlgorithm, retiredAt }) => (
              <li key={formerId} className="row">
                <ShortId id={formerId} what={words.keyId} /> {formerAlgorithm}
                {retiredAt !== null && (
                  <span className="soft">
                    {words.replaced} <RelativeTime at={retiredAt} />
                  </span>
                )}
              </li>
            ))}
          </ul>
        </details>
      )}
      {didDocument !== null && (
        <details>
          <summary>{words.showDocument}</summary>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is wider than its box is scrolled with the keyboard. */}
          <pre className="code" tabIndex={0}>
            {JSON.stringify(didDocument, undefined, 2)}
          </pre>
        </details>
      )}
    </>
  )
}
