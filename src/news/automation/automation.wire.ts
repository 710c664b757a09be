import type { Automation } from './automation.service.js';

/** @see docs/news-api.md "Automatic tasks" */
export function toAutomationJson(automation: Automation): object {
  const { languages, summarises, usedToday, mostPerDay, choices } = automation;
  return {
    languages: [...languages].map(([code, label]) => ({ code, label })),
    summarises,
    usedToday,
    mostPerDay,
    feeds: choices.flatMap(({ feedId, titlesTo, summarise }) =>
      feedId === null ? [] : [{ feedId, titlesTo, summarise }],
    ),
    folders: choices.flatMap(({ folderId, titlesTo, summarise }) =>
      folderId === null ? [] : [{ folderId, titlesTo, summarise }],
    ),
  };
}
