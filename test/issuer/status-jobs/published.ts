import { getListFromStatusListJWT } from '@sd-jwt/jwt-status-list'
import { decodeJwt } from 'jose'

/** The value of a credential in its published Token Status List, by another implementation than this service's. */
export async function publishedStatus(compact: string): Promise<number> {
  const { status } = decodeJwt<{ status: { status_list: { uri: string; idx: number } } }>(compact.split('~')[0] ?? '')
  const { uri, idx } = status.status_list
  return getListFromStatusListJWT(await (await fetch(uri)).text()).getStatus(idx)
}
