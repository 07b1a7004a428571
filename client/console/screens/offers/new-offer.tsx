import { getRouteApi, Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { Screen } from '../../ui/screen.js'
import { ChosenType } from './chosen-type.js'
import { OfferEditor } from './offer-editor.js'
import { Waiting } from './waiting.js'

const route = getRouteApi('/offers')

/** A new offer: first its type, then its claims. */
export function NewOffer() {
  const { offers: words, many, terms } = useTexts()
  const { type } = route.useSearch()
  const fromFile = (
    <Link to="/offers/from-file" search={type === undefined ? {} : { type }} className="button">
      {many.title}
    </Link>
  )
  return (
    <Screen title={words.title} intro={words.intro} term={terms.offer} actions={fromFile}>
      <Waiting />
      <ChosenType at="/offers" wanted={type}>
        {(version, configurations) => <OfferEditor type={version} configurations={configurations} />}
      </ChosenType>
    </Screen>
  )
}
