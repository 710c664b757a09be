import type { Target } from './target.js';
import { davTarget } from './targets/dav.js';
import { feedsTarget } from './targets/feeds.js';
import { headersTarget } from './targets/headers.js';
import { importsTarget } from './targets/imports.js';
import { markupTarget } from './targets/markup.js';
import { opmlTarget } from './targets/opml.js';
import { routesTarget } from './targets/routes.js';

export const TARGETS: readonly Target[] = [
  davTarget,
  feedsTarget,
  headersTarget,
  importsTarget,
  markupTarget,
  opmlTarget,
  routesTarget,
];
