import type { Offer, OfferRequest } from '../contract/offer.js'
import { done, refuseField, type Reply } from './refusal.js'
import type { Store } from './store.js'

/** Creates an offer; its id must be new, whatever its case. */
export function createOffer(
  request: OfferRequest,
  { store, now }: { readonly store: Store; readonly now: string },
): Reply<Offer> {
  if (store.offerById(request.offer_id) !== null) {
    return refuseField(['offer_id'], 'must be unique: an offer with this id exists')
  }
  const offer: Offer = { ...request, created_at: now, updated_at: now }
  store.addOffer(offer)
  return done(offer)
}
