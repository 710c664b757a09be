import { Injectable } from '@nestjs/common';
import { Offer } from '../../../common/ports/offer.js';
import type { Session } from '../../../common/ports/sessions.js';

interface ProviderLogout {
  /** @returns the provider's logout address; null for a session that did not begin there */
  logoutAddress(session: Session): Promise<URL | null>;
}

/** The logout at an identity provider, which follows the one here. */
@Injectable()
export class ProviderLogoutOffer extends Offer<ProviderLogout> {}
