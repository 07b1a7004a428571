import { useSpoken } from '../../texts/use-texts.js'
import { Fact } from '../../ui/fact.js'
import { Panel } from '../../ui/panel.js'
import { shownTransaction, type Transaction } from './transaction-words.js'

const nameOf = (path: readonly string[]): string => path.map((name) => name.replaceAll('_', ' ')).join(' › ')

/** The transactions that an open request asks the holder to authorize, in words. */
export function Approved({ transactions }: { readonly transactions: readonly Transaction[] }) {
  const { language, texts } = useSpoken()
  const { requests: words } = texts
  return (
    <Panel title={words.approves}>
      {transactions.map((transaction, at) => {
        const { kind, payment, members } = shownTransaction(transaction, language)
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: the transactions of a request never change.
          <section key={at}>
            <h3>{words.kindsOfTransactions[kind]}</h3>
            {payment !== undefined && (
              <p>
                <strong>{words.pays(payment.amount, payment.payee)}</strong>
              </p>
            )}
            {kind === 'other' && (
              <p className="soft">
                <code>{transaction.type}</code>
              </p>
            )}
            {members.length > 0 && (
              <dl>
                {members.map(({ path, value }, place) => (
                  // biome-ignore lint/suspicious/noArrayIndexKey: two groups may have members of one name.
                  <Fact key={place} name={nameOf(path)}>
                    {value}
                  </Fact>
                ))}
              </dl>
            )}
          </section>
        )
      })}
    </Panel>
  )
}
