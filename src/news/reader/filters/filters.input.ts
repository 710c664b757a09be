import { z } from 'zod';
import { orElse } from '../../../common/http/loose-inputs.js';
import { integer, text, unlessAbsent } from '../../parameters.js';

const keywords = orElse(text, '');
const KEYWORDS = { titleKeywords: keywords, bodyKeywords: keywords, urlKeywords: keywords };

/** The keywords, or an object `filter` with them, as the answers have it. */
export const SaveFilter = z
  .object({ feedId: integer, filter: unlessAbsent(z.object(KEYWORDS)), ...KEYWORDS })
  .transform(({ feedId, filter, ...keywords }) => ({ feedId, keywords: filter ?? keywords }));
