import { z } from 'zod';
import { orElse } from '../../common/http/loose-inputs.js';
import { flag, limit } from '../field-schemas.js';

export const LinesOfApp = z.object({ appId: z.string(), limit: limit(100, 500) });
export const AppPath = z.object({ appId: z.string() });
export const SetEnabled = z.object({ appId: z.string(), enabled: flag });
export const ListOfApps = z.object({ list: z.string() });

/** An object or its JSON text. */
const info = z.preprocess(
  (value) => (value === '' ? undefined : value),
  z.union([z.string(), z.record(z.string(), z.unknown())]).optional(),
);

/** Empty fields of a form are absent. */
const filledIn = z.preprocess((value) => value || undefined, z.string().optional());

export const RegisterApp = z.object({
  appId: filledIn,
  daemonName: filledIn,
  baseUrl: filledIn,
  secret: filledIn,
  jsonInfo: info,
  infoXml: filledIn,
  /** The administrator confirms that external apps are trusted. */
  trustsApps: orElse(flag, false),
});
export const UpdateApp = z.object({
  appId: z.string(),
  baseUrl: filledIn,
  jsonInfo: info,
  infoXml: filledIn,
});
/** The longest time for which a rotated secret stays valid. */
const MAX_GRACE_SECONDS = 86_400;
const DEFAULT_GRACE_SECONDS = 600;
const GRACE_RANGE = `must be a whole number of seconds from 0 to ${MAX_GRACE_SECONDS}`;

/** How long the previous secret of an app stays valid, in seconds. */
export const graceSeconds = orElse(
  z.coerce
    .number(GRACE_RANGE)
    .int(GRACE_RANGE)
    .min(0, GRACE_RANGE)
    .max(MAX_GRACE_SECONDS, GRACE_RANGE),
  DEFAULT_GRACE_SECONDS,
);

/** A secret that an operator chose. */
export const chosenSecret = z
  .string()
  .min(16, 'must have at least 16 characters')
  .max(256, 'must have at most 256 characters');

export const RotateSecret = z.object({ appId: z.string(), graceSeconds });
export const UninstallApp = z.object({
  appId: z.string(),
  keepData: orElse(flag, false),
  force: orElse(flag, false),
});
