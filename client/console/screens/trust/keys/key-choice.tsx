import { algorithmsIn, DATABASE, type KeyAlgorithm, type KeyProvider } from '../../../queries/signing-keys.js'
import { useSigningKeyTexts } from '../../../texts/signing-keys/use-signing-key-texts.js'
import { useTexts } from '../../../texts/use-texts.js'
import { Field } from '../../../ui/field.js'

/** Where a new key is made, and its algorithm. */
export interface KeyWish {
  readonly place: string
  readonly algorithm: KeyAlgorithm
}

interface Props {
  readonly labels: {
    readonly place: string
    readonly placeHint?: string | undefined
    readonly algorithm: string
    readonly algorithmHint?: string | undefined
  }
  /** The names of the possible places. */
  readonly places: readonly string[]
  readonly providers: readonly KeyProvider[]
  readonly wish: KeyWish
  readonly onWish: (wish: KeyWish) => void
  readonly errors?: { readonly place?: string | undefined; readonly algorithm?: string | undefined }
}

/** The place and the algorithm of a new key. A place offers only its own algorithms. */
export function KeyChoice({ labels, places, providers, wish, onWish, errors }: Props) {
  const { trust } = useTexts()
  const words = useSigningKeyTexts()
  const choosePlace = (place: string) => {
    const possible = algorithmsIn(place, providers)
    onWish({ place, algorithm: possible.find((each) => each === wish.algorithm) ?? possible[0] ?? wish.algorithm })
  }
  return (
    <>
      <Field label={labels.place} hint={labels.placeHint} required error={errors?.place}>
        {(control) => (
          <select {...control} value={wish.place} onChange={({ target }) => choosePlace(target.value)}>
            {places.map((name) => (
              <option key={name} value={name}>
                {name === DATABASE ? words.database : name}
              </option>
            ))}
          </select>
        )}
      </Field>
      <Field label={labels.algorithm} hint={labels.algorithmHint} required error={errors?.algorithm}>
        {(control) => (
          <select
            {...control}
            value={wish.algorithm}
            // The options are the algorithms of the place.
            onChange={({ target }) => onWish({ ...wish, algorithm: target.value as KeyAlgorithm })}
          >
            {algorithmsIn(wish.place, providers).map((each) => (
              <option key={each} value={each}>
                {trust.algorithms[each]}
              </option>
            ))}
          </select>
        )}
      </Field>
    </>
  )
}
