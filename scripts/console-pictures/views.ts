import type { Page } from 'playwright-core'
import type { Prepared } from './demonstration.js'
import type { Demonstration } from './service.js'

interface Size {
  readonly width: number
  readonly height: number
}

/** A browser that opens pages of the service and stores pictures of them. */
export interface Album {
  readonly service: Demonstration
  readonly prepared: Prepared
  /** @param path an address, or a path of the service */
  open(size: Size, path: string): Promise<Page>
  /** Stores the page's picture as `docs/images/NAME.png`, and closes the page. */
  keep(page: Page, name: string): Promise<void>
}

const desk = (height: number): Size => ({ width: 1200, height })
/** The smallest width at which the card is beside the table of claims. */
const WIDE_DESK: Size = { width: 1440, height: 800 }
const PHONE: Size = { width: 390, height: 844 }

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true }).click()

/** Takes each picture that README.md shows. */
export async function takePictures({ open, keep, prepared }: Album): Promise<void> {
  const editor = await open(WIDE_DESK, '/console/types/Membership/edit')
  await editor.getByLabel('Claim, claim 3').waitFor()
  // Scrolls to the table of claims. The card stays visible beside the table.
  await editor.getByRole('heading', { name: 'Claims' }).evaluate((heading) => heading.scrollIntoView())
  await keep(editor, 'type-editor')

  const offer = await open(desk(760), '/console/offers?type=Membership')
  await offer.getByLabel('Name', { exact: true }).fill('Grace Hopper')
  await offer.getByLabel('Level').selectOption('silver')
  await button(offer, 'Create offer')
  await offer.getByText('Waiting for a wallet to scan the code.').waitFor()
  await keep(offer, 'offer')

  const request = await open(desk(850), '/console/requests/new-request')
  await request.getByLabel('Type').first().selectOption('Membership-sd-jwt')
  await request.getByLabel('Level', { exact: true }).check()
  await button(request, 'Create request')
  await button(request, 'Answer with a hosted wallet')
  await request.getByRole('region', { name: 'Verified claims' }).getByText('gold').waitFor()
  await request.getByText(/^All \d+ checks passed$/).click()
  await request.getByText('The wallet signed this request with the credential’s key.').waitFor()
  await keep(request, 'request')

  const receive = await open(PHONE, prepared.receivePage)
  await receive.getByRole('img').first().waitFor()
  await keep(receive, 'receive')

  // This picture is taken last, so that the counters on it include the actions for the other pictures.
  const overview = await open(desk(1230), '/console/')
  await overview.getByRole('img', { name: 'The last 30 days' }).waitFor()
  await overview.getByText('The service is ready.').waitFor()
  await overview.getByText('Checking addresses').waitFor({ state: 'detached' })
  await keep(overview, 'overview')
}
