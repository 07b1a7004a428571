import { getRouteApi } from '@tanstack/react-router'
import { useTexts } from '../../texts/use-texts.js'
import { Screen } from '../../ui/screen.js'
import { ChosenType } from './chosen-type.js'
import { OfferEditor } from './offer-editor.js'
import { Waiting } from './waiting.js'

const route = getRouteApi('/offers')

/** Making an offer: first its type, then what it says. */
export function NewOffer() {
  const { offers: words } = useTexts()
  const { type } = route.useSearch()
  return (
    <Screen title={words.title} intro={words.intro}>
      <Waiting />
      <ChosenType at="/offers" wanted={type}>
        {(version, configurations) => <OfferEditor type={version} configurations={configurations} />}
      </ChosenType>
    </Screen>
  )
}
