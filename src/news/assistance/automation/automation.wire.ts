import { z } from 'zod';
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

const choice = { titlesTo: z.string().nullable(), summarise: z.boolean().nullable() };

export const AutomationAnswer = z.object({
  languages: z.array(z.object({ code: z.string(), label: z.string() })),
  summarises: z.boolean(),
  usedToday: z.int(),
  mostPerDay: z.int(),
  feeds: z.array(z.object({ feedId: z.int(), ...choice })),
  folders: z.array(z.object({ folderId: z.int(), ...choice })),
});

export const TitlesAnswer = z.object({
  titles: z.array(z.object({ id: z.int(), translatedTitle: z.string() })),
});
