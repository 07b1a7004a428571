import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { Fragment, type ReactNode } from 'react'
import type { TypeVersion } from '../../queries/shapes.js'
import type { Configuration } from '../../queries/types.js'
import { configurationsOf, type TypeListed, types, typeVersions } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { langOf, nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { Field } from '../../ui/field.js'
import { May } from '../../ui/use-may.js'

interface Props {
  /** The path of the screen. Its address names the type. */
  readonly at: '/offers' | '/offers/from-file'
  readonly wanted: string | undefined
  /**
   * The key of the form. The form starts again for a different version of the type, but not if the same version is read
   * again.
   */
  readonly children: (type: TypeVersion, configurations: readonly Configuration[]) => ReactNode
}

/** The demonstration type of `npm start`. It is preselected only if no other type exists. */
const DEMONSTRATION = 'ProofOfPurchase'

const demonstrationLast = (listed: readonly TypeListed[]): readonly TypeListed[] => [
  ...listed.filter(({ name }) => name !== DEMONSTRATION),
  ...listed.filter(({ name }) => name === DEMONSTRATION),
]

/** The choice of the offered type. If there is no type, it shows a link to create a type. */
export function ChosenType({ at, wanted, children }: Props) {
  const { offers: words, types: typeWords } = useSpoken().texts
  return (
    <Asked query={useInfiniteQuery(types)}>
      {(all) => {
        const listed = demonstrationLast(all)
        const chosen = listed.find(({ name }) => name === wanted) ?? listed[0]
        return chosen === undefined ? (
          <Empty title={words.noTypes} text={words.noTypesText}>
            <May open="/types/new-type">
              <Link to="/types/new-type" className="button primary">
                {typeWords.make}
              </Link>
            </May>
          </Empty>
        ) : (
          <>
            <Chooser at={at} listed={listed} chosen={chosen} />
            <OfType key={chosen.name} name={chosen.name}>
              {children}
            </OfType>
          </>
        )
      }}
    </Asked>
  )
}

interface ChooserProps extends Pick<Props, 'at'> {
  readonly listed: readonly TypeListed[]
  readonly chosen: TypeListed
}

function Chooser({ at, listed, chosen }: ChooserProps) {
  const { language, texts } = useSpoken()
  const navigate = useNavigate()
  return (
    <div className="chooser">
      <Field label={texts.offers.type} required>
        {(props) => (
          <select
            {...props}
            value={chosen.name}
            onChange={({ target }) => void navigate({ to: at, search: { type: target.value }, replace: true })}
          >
            {listed.map(({ name, title, display }) => (
              <option key={name} value={name} lang={langOf(display, language)}>
                {nameOf(display, language) ?? title ?? name}
              </option>
            ))}
          </select>
        )}
      </Field>
    </div>
  )
}

function OfType({ name, children }: Pick<Props, 'children'> & { readonly name: string }) {
  const versions = useQuery(typeVersions(name))
  const configurations = useQuery(configurationsOf(name))
  return (
    <Asked query={versions}>
      {(all) => (
        <Asked query={configurations}>
          {(found) => {
            const active = all.find((version) => version.active)
            return active === undefined ? null : <Fragment key={active.id}>{children(active, found)}</Fragment>
          }}
        </Asked>
      )}
    </Asked>
  )
}
