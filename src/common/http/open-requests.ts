import { Injectable } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import { hash } from 'node:crypto';
import type { EventEmitter } from 'node:events';
import { Counts } from '../counts.js';
import { wideNetworkOf } from './client-network.js';
import { senderOf, type Sender } from './sender.js';
import { Shares, type ShareKind } from './shares.js';
import { REST_MS } from './silent-servers.js';
import { StrangerTurns } from './stranger-turns.js';

const MOST_REMEMBERED = 20_000;
/** So that one sender with ever other headers does not displace all others. */
const MOST_OF_SENDER = 100;

/** Balancers and monitors ask from the address of a proxy. */
const UNCOUNTED = /^\/health(?:\/|$)/;

/** What a request counts for at the moment. */
interface Count {
  /** Key of the user or app; undefined for its network. */
  readonly key: string | undefined;
  readonly end: () => void;
  /** The app that is to answer a guest, or whoever may be one. */
  atApp?: { readonly kind: ShareKind; end: () => void };
}

/**
 * Counts each request until it is answered, from its head on and for one owner: with credentials that were
 * right before, for their user or app; otherwise for the network that sent it, until it is authenticated.
 * So other clients in a network cannot lock out those who were here before, and no credentials exempt a
 * request.
 */
@Injectable()
export class OpenRequests {
  readonly #counts = new WeakMap<Request, Count>();
  /** The senders of credentials that were right, by digest, the latest last. */
  readonly #known = new Map<string, Sender>();
  readonly #ofSenders = new Counts();
  /** By app, what ends the counts that go on after their requests. */
  readonly #unanswered = new Map<string, Set<() => void>>();

  constructor(
    private readonly shares: Shares,
    private readonly strangers: StrangerTurns,
  ) {}

  /** Middleware. @throws ShareUsed */
  readonly begin = (request: Request, response: Response, next: NextFunction): void => {
    this.beginUntilClosed(request, response);
    const count = this.#counts.get(request);
    if (count === undefined || count.key !== undefined) {
      next();
    } else {
      response.once('close', this.strangers.begin(next));
    }
  };

  /**
   * @param connection the answer, or the socket of a request without one
   * @throws ShareUsed
   */
  beginUntilClosed(request: Request, connection: EventEmitter): void {
    const credentials = credentialsOf(request) ?? '';
    const sender = this.#known.get(credentials);
    if (!UNCOUNTED.test(request.path)) {
      this.#counts.set(request, this.#take(request, sender));
    }
    connection.once('close', () => {
      this.end(request);
      // Not confirmed meanwhile, so they were refused: expired, or revoked without a notice.
      if (request.res?.statusCode === 401 && this.#known.get(credentials) === sender) {
        this.#drop(credentials);
      }
    });
  }

  /** Call it when the sender is authenticated. @throws ShareUsed */
  known(request: Request, sender: Sender = senderOf(request)): void {
    if (!sender.known) {
      return;
    }
    const counted = this.#counts.get(request);
    if (counted?.key !== sender.key) {
      const count = this.#take(request, sender);
      this.end(request);
      // The client may have disconnected while the credentials were checked.
      if (request.res?.closed === true) {
        count.end();
      } else {
        this.#counts.set(request, count);
      }
    }
    const credentials = credentialsOf(request);
    if (credentials !== undefined) {
      this.#remember(credentials, sender);
    }
  }

  /**
   * A request that an app is to answer counts for the app too, unless it is of a known user or app. Call it
   * before anything is looked up, so that what is too much costs nothing, and again for a guest.
   *
   * @throws ShareUsed
   */
  toApp(request: Request, appId: string, isGuest = false): void {
    const counted = this.#counts.get(request);
    if (counted === undefined || (counted.key !== undefined && !isGuest)) {
      return;
    }
    const isPlain = isGuest || credentialsOf(request) === undefined;
    const kind = isPlain ? 'requests of guests' : 'requests with unknown credentials';
    if (counted.atApp?.kind !== kind) {
      const atApp: Count['atApp'] = { kind, end: this.shares.take(kind, appId) };
      counted.atApp?.end();
      counted.atApp = atApp;
    }
  }

  /**
   * Call it before the answer to a request that its app has not answered: it counts for the app some seconds
   * longer, so that of the many that guests repeat most are refused before anything is looked up.
   */
  unanswered(request: Request, appId: string): void {
    const { atApp } = this.#counts.get(request) ?? {};
    if (atApp !== undefined) {
      const { end } = atApp;
      atApp.end = () => this.#endLater(appId, end);
    }
  }

  /** The app answers, so that those whom it did not answer no longer count. */
  answered(appId: string): void {
    this.#unanswered.get(appId)?.forEach((end) => end());
  }

  #endLater(appId: string, end: () => void): void {
    const ends = this.#unanswered.get(appId) ?? new Set();
    this.#unanswered.set(appId, ends);
    const endOnce = () => {
      clearTimeout(timer);
      ends.delete(endOnce);
      end();
    };
    const timer = setTimeout(endOnce, REST_MS).unref();
    ends.add(endOnce);
  }

  /** Ends the count early, of a request that counts as something else from now on. */
  end(request: Request): void {
    const counted = this.#counts.get(request);
    counted?.end();
    counted?.atApp?.end();
    this.#counts.delete(request);
  }

  /**
   * Call it when credentials were revoked. Those of the sender that are still right are remembered again with
   * their next request.
   *
   * @param key of a sender; undefined for all
   */
  forget(key: string | undefined): void {
    for (const [credentials, sender] of this.#known) {
      if (key === undefined || sender.key === key) {
        this.#drop(credentials);
      }
    }
  }

  #remember(credentials: string, sender: Sender): void {
    this.#drop(credentials);
    this.#known.set(credentials, sender);
    this.#ofSenders.add(sender.key, 1);
    const hasMany = this.#ofSenders.of(sender.key) > MOST_OF_SENDER;
    if (hasMany || this.#known.size > MOST_REMEMBERED) {
      this.#dropOldest(hasMany ? sender.key : undefined);
    }
  }

  /** @param key of a sender; undefined: of all */
  #dropOldest(key: string | undefined): void {
    for (const [credentials, sender] of this.#known) {
      if (key === undefined || sender.key === key) {
        this.#drop(credentials);
        return;
      }
    }
  }

  #drop(credentials: string): void {
    const sender = this.#known.get(credentials);
    if (sender !== undefined) {
      this.#known.delete(credentials);
      this.#ofSenders.add(sender.key, -1);
    }
  }

  /** @param sender undefined for the network */
  #take(request: Request, sender: Sender | undefined): Count {
    if (sender === undefined) {
      const network = wideNetworkOf(request.ip ?? '');
      return { key: undefined, end: this.shares.take('requests of strangers', network) };
    }
    const kind = sender.key.startsWith('user:') ? 'requests' : 'requests of an app';
    return { key: sender.key, end: this.shares.take(kind, sender.key) };
  }
}

/** A digest of a client's credentials. */
function credentialsOf({ headers }: Request): string | undefined {
  const ofApp = headers['authorization-app-api'];
  const given =
    ofApp === undefined
      ? (headers.authorization ?? headers.cookie)
      : JSON.stringify([headers['ex-app-id'], ofApp]);
  return given === undefined ? undefined : hash('sha256', given, 'base64');
}
