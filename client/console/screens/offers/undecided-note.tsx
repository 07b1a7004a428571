import type { DecisionOutcome } from '../../queries/offers.js'
import { useTexts } from '../../texts/use-texts.js'
import { IdOnDemand } from '../../ui/id-on-demand.js'
import { Reason } from '../../ui/reason.js'

/** An offer that could not be decided. */
export interface Undecided extends DecisionOutcome {
  /** The name of the offer in the list; undefined on the screen of the offer. */
  readonly name?: string
}

/** The offers that could not be decided, each with the reason. */
export function UndecidedNote({ failed }: { readonly failed: readonly Undecided[] }) {
  const { offers: words } = useTexts()
  return (
    <div role="status">
      {failed.length > 0 && (
        <>
          <p className="bad">{words.undecided(failed.length)}</p>
          <ul className="plain">
            {failed.map(({ id, name, message }) => (
              <li key={id}>
                {name !== undefined && (
                  <>
                    <strong>{name}</strong> <IdOnDemand id={id} what={words.offerId} />{' '}
                  </>
                )}
                {message !== undefined && <Reason>{message}</Reason>}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
