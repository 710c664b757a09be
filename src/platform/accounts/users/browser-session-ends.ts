import { Injectable } from '@nestjs/common';
import { Offer } from '../../../common/ports/offer.js';

interface SessionsOfUsers {
  /** @param exceptId a session that remains */
  removeAllOfUser(userId: string, exceptId?: number): Promise<void>;
}

/** Sessions of browsers end with a changed password and with a disabled account. */
@Injectable()
export class BrowserSessionEnds extends Offer<SessionsOfUsers> {}
