import { getRouteApi, Link } from '@tanstack/react-router'
import { useTexts } from '../../../texts/use-texts.js'
import { Screen } from '../../../ui/screen.js'
import { ChosenType } from '../chosen-type.js'
import { ManyOffers } from './many-offers.js'

const route = getRouteApi('/offers/from-file')

/** The screen for many offers of one type. Each row of a file has the claims of one offer. */
export function FromFile() {
  const { many: words, batches, offers } = useTexts()
  const { type } = route.useSearch()
  const single = (
    <>
      <Link to="/offers/batches" className="button">
        {batches.title}
      </Link>
      <Link to="/offers" search={type === undefined ? {} : { type }} className="button">
        {offers.title}
      </Link>
    </>
  )
  return (
    <Screen title={words.title} intro={words.intro} actions={single}>
      <ChosenType at="/offers/from-file" wanted={type}>
        {(version, configurations) => <ManyOffers type={version} configurations={configurations} />}
      </ChosenType>
    </Screen>
  )
}
