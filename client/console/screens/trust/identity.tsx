import type { IssuerSigner, VerifierSigner } from '../../queries/trust.js'
import { useTexts } from '../../texts/use-texts.js'
import { RelativeTime } from '../../ui/relative-time.js'
import { ShortId } from '../../ui/short-id.js'

interface Props {
  readonly signer: IssuerSigner | VerifierSigner
}

/** Who a record is: its DID, the key that signs for it now, and those that did. */
export function Identity({ signer }: Props) {
  const { trust: words } = useTexts()
  const { id, did, didDocument, didDocumentUrl, algorithm, keyId, keys, createdAt } = signer
  const former = keys.filter(({ retiredAt }) => retiredAt !== null)
  return (
    <>
      <dl>
        <div>
          <dt>DID</dt>
          <dd>
            <ShortId id={did} what="DID" />
          </dd>
        </div>
        <div>
          <dt>{words.signsWith}</dt>
          <dd>{words.algorithms[algorithm as keyof typeof words.algorithms] ?? algorithm}</dd>
        </div>
        <div>
          <dt>{words.keyId}</dt>
          <dd>
            <ShortId id={keyId} what={words.keyId} />
          </dd>
        </div>
        <div>
          <dt>{words.recordId}</dt>
          <dd>
            <ShortId id={id} what={words.recordId} />
          </dd>
        </div>
        <div>
          <dt>{words.made}</dt>
          <dd>
            <RelativeTime at={createdAt} />
          </dd>
        </div>
        {didDocumentUrl !== null && (
          <div>
            <dt>{words.published}</dt>
            <dd>
              <a href={didDocumentUrl} target="_blank" rel="noreferrer">
                {words.didDocument}
              </a>
            </dd>
          </div>
        )}
      </dl>
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
