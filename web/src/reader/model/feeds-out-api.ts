import { requestJson } from '../../host/http.js';
import { change, NEWS_ROOT } from './news-request.js';

/** A list, or one article, that may be published. */
export interface PublishableList {
  readonly kind: 'folder' | 'label' | 'search' | 'board' | 'starred' | 'item';
  /** 0 for the starred ones. */
  readonly ofId: number;
}

/** How it is shown. */
export interface Showing {
  readonly fullText: boolean;
  readonly withNotes: boolean;
}

/** A list that is published. */
export interface FeedOut extends PublishableList, Showing {
  readonly id: number;
  /** Null for an article, and for a list that is gone. */
  readonly name: string | null;
  /** Of the page. */
  readonly address: string;
}

export interface FeedsOut {
  readonly feedsOut: readonly FeedOut[];
  /** Who may read them. */
  readonly audience: 'off' | 'signed-in' | 'everyone';
}

const PATH = '/feeds-out';

export const listFeedsOut = () => requestJson<FeedsOut>(NEWS_ROOT + PATH);

/** A list that is published already keeps its address. */
export const publish = async (list: PublishableList & Showing): Promise<FeedOut> =>
  (await change<{ feedOut: FeedOut }>('POST', PATH, list)).feedOut;

export const renewAddress = async (id: number): Promise<FeedOut> =>
  (await change<{ feedOut: FeedOut }>('POST', `${PATH}/${id}/renew`)).feedOut;

export const takeBack = (id: number) => change('DELETE', `${PATH}/${id}`);

/** The addresses of a published list by format; an article has a page only. */
export function addressesOf({ kind, address }: FeedOut): Readonly<Record<string, string>> {
  return kind === 'item'
    ? { page: address }
    : { page: address, atom: `${address}/feed.atom`, json: `${address}/feed.json` };
}
