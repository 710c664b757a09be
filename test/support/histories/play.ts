import { documentOf } from './document.js';
import { tell, type History } from './history.js';
import { Publisher, type Version } from './publisher.js';
import { Random } from './random.js';

/** One document of a publisher, and the truth about it. */
export interface Round {
  readonly text: string;
  /** Where it was fetched. */
  readonly url: string;
  /** Which entry each item is, and what it shows. */
  readonly listed: readonly Version[];
  /** Whether nothing changed since the round before. */
  readonly isSame: boolean;
}

/** The documents of a publisher, one for each fetch. */
export interface Play {
  readonly seed: number;
  /** What happens, for a report. */
  readonly story: string;
  readonly rounds: readonly Round[];
}

/** The documents of a random history. */
export function playOf(history: History): Play {
  const publisher = new Publisher();
  const format = new Random(history.seed).chance(0.3) ? 'json' : 'rss';
  const rounds = history.rounds.map((changes, round) => {
    changes.forEach((change) => publisher.change(change));
    publisher.noteFetch();
    return {
      text: documentOf(publisher.listed, format, round),
      url: 'https://publisher.example/feed',
      listed: publisher.listed,
      isSame: round > 0 && changes.length === 0,
    };
  });
  return { seed: history.seed, story: tell(history), rounds };
}
