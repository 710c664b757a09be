import { Injectable } from '@nestjs/common';
import type { Request } from 'express';
import { isIP } from 'node:net';
import { PublicAddress } from '../../../common/config/public-address.js';
import { PasskeysNeedHostName } from '../../platform.errors.js';

/** Relying party of a passkey, as signed. */
export interface PasskeyPlace {
  /** Scheme, host and port of the pages. */
  readonly origin: string;
  /** Host name (the "relying party id"). */
  readonly rpId: string;
}

/** The parts of a request that determine the address of its pages. */
type AddressedRequest = Pick<Request, 'protocol' | 'host'>;

/** The required relying party of a request's passkeys. */
@Injectable()
export class PasskeyPlaces {
  constructor(private readonly address: PublicAddress) {}

  /** @throws PasskeysNeedHostName */
  of(request: AddressedRequest): PasskeyPlace {
    return PasskeysNeedHostName.unless(this.find(request));
  }

  /** @returns null for an IP address, for which browsers have no passkeys */
  find(request: AddressedRequest): PasskeyPlace | null {
    const { origin, hostname } = new URL(this.address.rootFor(request));
    return isIP(hostname.replace(/^\[|\]$/g, '')) === 0 ? { origin, rpId: hostname } : null;
  }
}
