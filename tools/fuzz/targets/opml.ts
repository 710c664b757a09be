import fc from 'fast-check';
import { UnreadableOpml, readOpml } from '../../../src/news/opml/read-opml.js';
import { damaged, hostileMarkup } from '../hostile-documents.js';
import type { Target } from '../target.js';

const SAMPLE = `<?xml version="1.0"?><opml version="2.0"><head><title>Mine</title></head><body>
<outline text="Sea"><outline type="rss" text="Tides" xmlUrl="https://tides.example/feed"/></outline>
<outline text="News &amp; more" title="News" xmlUrl="https://news.example/?a&amp;b"/></body></opml>`;

const LONGEST_FOLDER_NAME = 255;

/** Any bytes are a list of feeds in folders whose names can be stored, or are refused. */
export const opmlTarget: Target = {
  name: 'opml',
  smokeRuns: 400,
  open: () => {
    const text = fc.oneof(hostileMarkup, damaged([SAMPLE]));
    const property = fc.asyncProperty(text, async (document) => {
      try {
        const { feeds, emptyFolders } = await readOpml(Buffer.from(document));
        const names = [...feeds.flatMap(({ folder }) => folder ?? []), ...emptyFolders];
        const odd = names.find(
          (name) =>
            name === '' ||
            name.length > LONGEST_FOLDER_NAME ||
            !name.isWellFormed() ||
            name.includes('\0'),
        );
        if (odd !== undefined) {
          throw new Error(`A folder named ${JSON.stringify(odd)}`);
        }
      } catch (error) {
        if (!(error instanceof UnreadableOpml)) {
          throw error;
        }
      }
    });
    return Promise.resolve({ property, close: async () => {} });
  },
};
