import { z } from 'zod';
import { settings } from '../../common/config/settings.js';

/** Who may read lists that users publish; with `signed-in`, only those who have an account here. */
export const AUDIENCES = ['off', 'signed-in', 'everyone'] as const;

export class FeedsOutSettings extends settings('GATEFOLD_', {
  GATEFOLD_FEEDS_OUT: z
    .enum(AUDIENCES, { error: 'must be off, signed-in or everyone' })
    .default('signed-in')
    .describe(
      'Who may read the lists that users publish as feeds: nobody (off), people with an account here (signed-in), or everyone who has the address (everyone)',
    ),
}) {}
