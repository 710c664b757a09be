import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { hash } from 'node:crypto';
import { senderOf, type Sender } from './sender.js';
import { keepLatest } from '../keep-latest.js';
import { wideNetworkOf } from './client-network.js';
import { Shares } from './shares.js';

const MOST_REMEMBERED = 20_000;

/** Balancers and monitors ask from the address of a proxy. */
const UNCOUNTED = /^\/health(?:\/|$)/;

/**
 * Counts each request until it is answered: for the network that sent it, and once authenticated, for the
 * user or app. Requests with credentials seen before do not count for the network, so that other clients in
 * it cannot lock them out.
 */
@Injectable()
export class OpenRequests {
  readonly #ends = new WeakMap<Request, () => void>();
  /** Digests of credentials that were right, the latest last. */
  readonly #known = new Map<string, true>();

  constructor(private readonly shares: Shares) {}

  /** Middleware. @throws ShareUsed */
  readonly begin = (request: Request, response: Response, next: NextFunction): void => {
    const credentials = credentialsOf(request);
    if (!UNCOUNTED.test(request.path) && !(credentials && this.#known.has(credentials))) {
      this.#ends.set(
        request,
        this.shares.take('requests of strangers', wideNetworkOf(request.ip ?? '')),
      );
    }
    response.once('close', () => this.#ends.get(request)?.());
    next();
  };

  /** Call it when it is known who sent the request. @throws ShareUsed */
  known(request: Request, sender: Sender = senderOf(request)): void {
    if (!sender.known) {
      return;
    }
    const kind = sender.key.startsWith('user:') ? 'requests' : 'requests of an app';
    const end = this.shares.take(kind, sender.key);
    this.#ends.get(request)?.();
    this.#endWith(request, end);
    const credentials = credentialsOf(request);
    if (credentials !== undefined) {
      keepLatest(this.#known, credentials, true, MOST_REMEMBERED);
    }
  }

  /** A guest's request that an app answers. @throws ShareUsed */
  ofGuest(request: Request, appId: string): void {
    const endAtNetwork = this.#ends.get(request);
    const endAtApp = this.shares.take('requests of guests', appId);
    this.#endWith(request, () => {
      endAtNetwork?.();
      endAtApp();
    });
  }

  #endWith(request: Request, end: () => void): void {
    // The client may have disconnected while the credentials were checked.
    if (request.res?.closed === true) {
      end();
    } else {
      this.#ends.set(request, end);
    }
  }
}

/** A digest of a client's credentials. */
function credentialsOf({ headers }: Request): string | undefined {
  const given = headers['authorization-app-api'] ?? headers.authorization ?? headers.cookie;
  return typeof given === 'string' ? hash('sha256', given, 'base64') : undefined;
}
