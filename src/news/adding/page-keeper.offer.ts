import { Injectable } from '@nestjs/common';
import { Offer } from '../../common/ports/offer.js';
import type { AddedPage } from './added-items.input.js';
import type { Added } from './added-items.service.js';
import type { Adder } from './given-source.js';

/** A kept page as an item of the user. */
export interface KeptPage extends Added {
  readonly kept: {
    /**
     * `renewed`: it was kept before, and has been read again; `unchanged`: it was kept before, and what was read
     * then stays; `starred`: another feed has it.
     */
    readonly outcome: 'saved' | 'renewed' | 'unchanged' | 'starred';
    readonly title: string;
    /** Why there is no text of the page, or no new one: a sentence. */
    readonly problem: string | null;
  };
}

/** Reads pages that are added by their address alone. */
export interface PageKeeper {
  /** Reads the page within half a minute, and delivers. */
  keep(adder: Adder, feedTitle: string | null, page: AddedPage): Promise<KeptPage>;
}

/** Without the part `saved-pages`, addresses alone are added as they are. */
@Injectable()
export class PageKeeperOffer extends Offer<PageKeeper> {}
