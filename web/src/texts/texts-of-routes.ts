import type { AreaTexts } from './i18n.js';

/** Apart, so that their many names are not part of every visit. */
export const textsOfRoutes = import.meta.glob<AreaTexts>(
  './*/{admin,chat,files,groups,highlights,imports,publishing,rules,settings}.json',
  {
    import: 'default',
  },
);
