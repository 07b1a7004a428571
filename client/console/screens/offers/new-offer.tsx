import { getRouteApi, Link } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { Screen } from '../../ui/screen.js'
import { May } from '../../ui/use-may.js'
import { ChosenType } from './chosen-type.js'
import { LatestOffers } from './latest.js'
import { OfferEditor } from './offer-editor.js'
import { Waiting } from './waiting.js'

const route = getRouteApi('/offers')

/** A new offer: first its type, then its claims. */
export function NewOffer() {
  const { offers: words, batches, many, terms } = useTexts()
  const { type } = route.useSearch()
  const fromFile = (
    <>
      <Link to="/offers/batches" className="button">
        {batches.title}
      </Link>
      <May open="/offers/from-file">
        <Link to="/offers/from-file" search={type === undefined ? {} : { type }} className="button">
          {many.title}
        </Link>
      </May>
    </>
  )
  return (
    <Screen title={words.title} intro={words.intro} term={terms.offer} actions={fromFile}>
      <May call="credentialOffers.sessions">
        <Waiting />
      </May>
      <ChosenType at="/offers" wanted={type}>
        {(version, configurations) => <OfferEditor type={version} configurations={configurations} />}
      </ChosenType>
      <May call="credentialOffers.sessions">
        <LatestOffers />
      </May>
    </Screen>
  )
}
