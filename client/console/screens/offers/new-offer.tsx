import { useInfiniteQuery, useQuery } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { configurationsOf, type TypeListed, types, typeVersions } from '../../queries/types.js'
import { useSpoken } from '../../texts/use-texts.js'
import { Asked } from '../../ui/asked.js'
import { nameOf } from '../../ui/display-name.js'
import { Empty } from '../../ui/empty.js'
import { Field } from '../../ui/field.js'
import { Screen } from '../../ui/screen.js'
import { OfferEditor } from './offer-editor.js'

const route = getRouteApi('/offers')

/** Making an offer: first its type, then what it says. */
export function NewOffer() {
  const { texts } = useSpoken()
  const { offers: words, types: typeWords } = texts
  return (
    <Screen title={words.title} intro={words.intro}>
      <Asked query={useInfiniteQuery(types)}>
        {(listed) =>
          listed.length === 0 ? (
            <Empty title={words.noTypes} text={words.noTypesText}>
              <Link to="/types/new-type" className="button primary">
                {typeWords.make}
              </Link>
            </Empty>
          ) : (
            <ChosenType listed={listed} />
          )
        }
      </Asked>
    </Screen>
  )
}

function ChosenType({ listed }: { readonly listed: readonly TypeListed[] }) {
  const { language, texts } = useSpoken()
  const { offers: words } = texts
  const { type: wanted } = route.useSearch()
  const navigate = useNavigate()
  const chosen = listed.find(({ name }) => name === wanted) ?? listed[0]
  if (chosen === undefined) return null
  return (
    <>
      <div className="chooser">
        <Field label={words.type} required>
          {(props) => (
            <select
              {...props}
              value={chosen.name}
              onChange={({ target }) => void navigate({ to: '/offers', search: { type: target.value }, replace: true })}
            >
              {listed.map(({ name, title, display }) => (
                <option key={name} value={name}>
                  {nameOf(display, language) ?? title ?? name}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      <OfferOfType key={chosen.name} name={chosen.name} />
    </>
  )
}

function OfferOfType({ name }: { readonly name: string }) {
  const versions = useQuery(typeVersions(name))
  const configurations = useQuery(configurationsOf(name))
  return (
    <Asked query={versions}>
      {(all) => (
        <Asked query={configurations}>
          {(found) => {
            const active = all.find((version) => version.active)
            return active === undefined ? null : (
              // Another version has another form; the same one is not begun anew when it is read again.
              <OfferEditor key={active.id} type={active} configurations={found} />
            )
          }}
        </Asked>
      )}
    </Asked>
  )
}
